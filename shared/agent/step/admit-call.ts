import { rulesOfEffect } from '../config/effects.ts';
import { Superseded } from '../plain/superseded.ts';
import type { Step } from './opened.ts';
import type { PlannedCall } from './plan-batch.ts';

/**
 * Asks HEAD whether a call may start, when its turn has come: what changes something does not start once a cancel was
 * acknowledged before that (A2), and a `once` call not before its start is on record. One round trip: the record carries
 * the question, and where there is none it is one strong read. Plain reads ask nothing. What was found is in
 * `lease.stopped`; a cancel that comes after the answer finds a call that has begun.
 *
 * @param slotKept resolves when the reply that asked for the call is kept
 */
export async function admitCall(step: Step, planned: PlannedCall, slotKept: Promise<void>): Promise<void> {
  if (planned.kind === 'settled' || step.lease.stopped()) return;
  if (planned.unsafe) await fenceUnsafe(step, planned.call.id, slotKept);
  else if (planned.tool && rulesOfEffect(planned.tool.effect).fence !== 'nothing') await step.lease.look();
}

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
