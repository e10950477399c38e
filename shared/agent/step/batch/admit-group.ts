import { rulesOfEffect, STARTS_MS } from '../../config/effects.ts';
import { Superseded } from '../../plain/superseded.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Step } from '../open/step-context.ts';
import type { PlannedCall } from './planned-call.ts';

/**
 * Asks HEAD whether the calls of a group may start, when their turn has come. A call that changes something does not start
 * after a cancel that was acknowledged earlier, and a `once` call, which is alone in its group, does not start before its start
 * is on record. This takes one round trip: the write of the record also asks the question; without a record, one strongly
 * consistent read serves the whole group. Groups of plain reads do not ask. The answer is in `lease.stopped`. A cancel that
 * arrives after the answer finds calls that have already begun.
 *
 * @param slotKept resolves when the reply that asked for the calls is stored
 */
export async function admitGroup(
  step: Pick<Step, 'io' | 'lease' | 'loaded'>,
  group: readonly PlannedCall[],
  slotKept: Promise<void>,
): Promise<void> {
  if (step.lease.stopped()) return;
  const starting = group.filter((planned) => planned.kind === 'run');
  const unsafe = starting.find((planned) => planned.unsafe);
  if (unsafe) await fenceUnsafe(step, unsafe.call.id, slotKept);
  else if (starting.some(asksHead)) await step.lease.look();
}

/** Reads HEAD again if the answer to a call's question is too old by now. The new answer is in `lease.stopped`. */
export async function admitStill(
  { lease, io: { clock } }: Pick<Step, 'lease' | 'io'>,
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
 * A fenced call does not start before the reply that asked for it is stored and the start of this call itself is on record. A
 * worker that takes over then knows which calls of the batch may have begun.
 */
async function fenceUnsafe(
  { loaded, io, lease }: Pick<Step, 'loaded' | 'io' | 'lease'>,
  callId: string,
  slotKept: Promise<void>,
) {
  const { key, view } = loaded;
  const { epoch, cancelGen } = view.fence;
  const [fenced] = await Promise.all([io.sessions.fence(key, epoch, cancelGen, [callId]), slotKept]);
  if (fenced === 'fenced') return;
  await lease.look();
  if (lease.stopped() !== 'cancelled') throw new Superseded();
}
