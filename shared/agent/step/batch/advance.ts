import { allEnded } from '../../plain/all-ended.ts';
import type { Halt, Spoken } from '../../session/verdict.ts';
import type { OpenBatch } from '../../session/waits.ts';
import type { Draft, Ended } from '../draft.ts';
import type { Step } from '../open/step-context.ts';
import { asksPeople, type BatchPlan } from './planned-call.ts';
import { readAwaiting } from './read-awaiting.ts';
import { keepToClose, type ObservedResults, runAndKeep } from './run-batch.ts';
import type { BatchOf } from './run-calls.ts';
import { openForPeople } from './waits.ts';

/** A batch, and the step that it goes on in. */
export interface Advance extends Pick<Draft, 'incorporated' | 'events'> {
  readonly of: BatchOf;
  /** The write of the reply's slot. */
  readonly slotKept: Promise<void>;
  /** Verdicts of guards from before they judged its calls. */
  readonly spoken: readonly Spoken[];
  /** Set if the run ends: the plan starts nothing. */
  readonly halt: Halt | undefined;
  /** The note that people wrote with their decision on a plan. */
  readonly note?: string | undefined;
}

/** The plan, or one that starts nothing more if the run ends. */
export const planUnder = async (
  step: Pick<Step, 'io' | 'loaded'>,
  slot: number,
  plan: BatchPlan,
  halt: Halt | undefined,
): Promise<BatchPlan> => (halt ? (await readAwaiting()).stopped(step, slot, plan) : plan);

/**
 * Runs what may run now. If people must decide on a call, no call of the batch runs before they have. The batch is closed when
 * each of its calls has its result; otherwise it is left open, and the run waits without compute.
 */
export async function advance(step: Step, plan: BatchPlan, batch: Advance): Promise<Draft> {
  const { of, incorporated, events, halt, note } = batch;
  const [, outcome] = await allEnded([batch.slotKept, carryOut(step, plan, batch)]);
  const spoken = [...batch.spoken, ...plan.spoken];
  if ('waits' in outcome) {
    const open: OpenBatch = note === undefined ? outcome : { ...outcome, note };
    const session = { ...plan.session, version: of.slot + 1, batch: open };
    return { incorporated, events, session, spoken, ending: { kind: 'wait' } };
  }
  const ending: Ended | undefined = halt ?? plan.halt ?? outcome.halt;
  return {
    incorporated,
    events,
    toolsMs: outcome.toolsMs,
    session: { ...outcome.session, version: of.slot + 2, batch: undefined },
    spoken: [...spoken, ...outcome.spoken],
    ...(ending ? { ending: { kind: 'halt', halt: ending } } : outcome.onward),
  };
}

/** Asks people, or runs the batch. */
async function carryOut(
  step: Step,
  plan: BatchPlan,
  { of, slotKept, note }: Advance,
): Promise<ObservedResults | OpenBatch> {
  const { loaded, io, recovered } = step;
  if (recovered.tools || !asksPeople(plan)) return runAndKeep(step, plan, of, slotKept, note);
  const settled = plan.calls.flatMap((planned) => (planned.kind === 'settled' ? planned.result : []));
  await keepToClose(step, of.slot, settled);
  return openForPeople(loaded, of.slot, plan.calls, io.clock.now());
}
