import { rulesOfEffect, STARTS_MS } from '../../config/effects.ts';
import { Superseded } from '../../plain/superseded.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Step } from '../open/step-context.ts';
import type { PlannedCall } from './plan-batch.ts';

/**
 * Asks HEAD whether the calls of a group may start, when their turn has come: what changes something does not start once a cancel was
 * acknowledged before that (A2), and a `once` call, which has no other beside it, not before its start is on record. One round trip: the
 * record carries the question, and where there is none it is one strong read for all of them. Plain reads ask nothing. What was found
 * is in `lease.stopped`; a cancel that comes after the answer finds calls that have begun.
 *
 * @param slotKept resolves when the reply that asked for the calls is kept
 */
export async function admitGroup(
  step: Step,
  group: readonly PlannedCall[],
  slotKept: Promise<void>,
): Promise<void> {
  if (step.lease.stopped()) return;
  const starting = group.filter((planned) => planned.kind === 'run');
  const unsafe = starting.find((planned) => planned.unsafe);
  if (unsafe) await fenceUnsafe(step, unsafe.call.id, slotKept);
  else if (starting.some(asksHead)) await step.lease.look();
}

/** Looks at HEAD again where its answer to a call's question is too old by now. What is found is in `lease.stopped`. */
export async function admitStill(
  { lease, io: { clock } }: Step,
  planned: { readonly tool: Tool | undefined },
  askedAt: number,
): Promise<void> {
  let at = askedAt;
  while (asksHead(planned) && !lease.stopped() && clock.now() > at + STARTS_MS) {
    at = clock.now();
    await lease.look();
  }
}

const asksHead = ({ tool }: { tool: Tool | undefined }): boolean =>
  tool !== undefined && rulesOfEffect(tool.effect).fence !== 'nothing';

/**
 * Nothing unsafe starts before the reply that asked for it is kept and the start itself is on record: of this one call, so
 * that who takes over knows which calls of the batch may have begun.
 */
async function fenceUnsafe({ loaded, io, lease }: Step, callId: string, slotKept: Promise<void>) {
  const { key, view } = loaded;
  const { epoch, cancelGen } = view.fence;
  const [fenced] = await Promise.all([io.sessions.fence(key, epoch, cancelGen, [callId]), slotKept]);
  if (fenced === 'fenced') return;
  await lease.look();
  if (lease.stopped() !== 'cancelled') throw new Superseded();
}
