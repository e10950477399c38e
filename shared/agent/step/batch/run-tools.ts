import type { Stages } from '../../guardrails/guard.ts';
import type { Judgement } from '../../guardrails/judge.ts';
import { callingOf } from '../../session/made.ts';
import { isPlanning } from '../../session/proposals.ts';
import { runOf, withRun } from '../../session/session.ts';
import type { ModelSlot, ToolCall } from '../../session/slots.ts';
import type { Halt } from '../../session/verdict.ts';
import type { OpenBatch } from '../../session/waits.ts';
import { standIn } from '../../tools/planning.ts';
import { readCache } from '../../tools/read-cache.ts';
import type { Draft } from '../draft.ts';
import { toModelSlot } from '../end/kept-reply.ts';
import { tellCalls } from '../end/tell-calls.ts';
import type { Accounted } from '../model/account.ts';
import { withNudges } from '../model/told.ts';
import { keepSlots } from '../open/keep-slots.ts';
import type { SessionPart, Step } from '../open/step-context.ts';
import { advance, planUnder } from './advance.ts';
import { leavesOf } from './denied.ts';
import { factsOf } from './facts.ts';
import type { BatchFacts } from './known.ts';
import { isAttended, isDeserted, leaveOfStep, leavesOfBegun } from './permission.ts';
import { planBatch } from './plan-batch.ts';
import { asksPeople, isQueued } from './planned-call.ts';
import { batchOf } from './run-batch.ts';

/** With less than this time left, in ms, a batch is left to the next invocation, which adopts the reply. */
const WORTH_STARTING_MS = 30_000;

/**
 * Judges and runs the batch of a reply. The reply's slot is written in parallel with calls that may be run again, and before
 * calls that may not (docs/design.md, steps 4 to 6). Every call gets exactly one result, in call order.
 *
 * If people must decide on a call, no call of the batch runs before they have. If calls go to the queue, the step ends without
 * their results. Either way the run waits without compute, and `closeBatch` continues it.
 *
 * With `halt` the reply is a dead owner's, and the run ends: calls that were started have their result or an unknown outcome,
 * and nothing more is started.
 */
export const runReply = (
  step: Step,
  accounted: Accounted,
  { session, spoken }: Judgement<Stages['reply']['verdict']>,
  halt: Halt | undefined,
): Promise<Draft> => {
  const { answer, turn, events } = accounted;
  const slot = toModelSlot(step, accounted, spoken);
  const { incorporated } = turn;
  const { calls } = answer.reply;
  return runTools(step, { session: withNudges(session, spoken), calls, slot, incorporated, events }, halt);
};

/** A batch that a reply asks for, or the system in its place. */
export interface BatchRequest extends Pick<Draft, 'session' | 'incorporated' | 'events'> {
  readonly calls: readonly ToolCall[];
  /** The slot that asks for the batch, before its calls are judged. */
  readonly slot: ModelSlot;
}

/** As {@link runReply}, for any batch. Guards do not judge system calls, and earlier results do not replace them. */
export async function runTools(step: Step, asks: BatchRequest, halt: Halt | undefined): Promise<Draft> {
  const { session, recovered, io } = step;
  const { calls, incorporated, events } = asks;
  const { verdicts: spoken } = asks.slot;
  const batch: OpenBatch = { slot: session.version, waits: [], since: io.clock.now() };
  const facts = await factsOf(step, batch, calls, halt !== undefined);
  const plan = await planUnder(step, batch.slot, await planOf(step, asks, facts), halt);
  const staysOpen = !recovered.tools && (asksPeople(plan) || plan.calls.some(isQueued));

  const verdicts = staysOpen ? [...spoken, ...plan.spoken] : spoken;
  const slot = { ...asks.slot, verdicts, ...leavesOf(plan.calls) };
  const slotKept = keepSlots(step, [slot]);
  if (mustLeaveToNext(step)) {
    await slotKept;
    return leftToNext(step);
  }
  if (!recovered.model) tellCalls(step, slot, calls);
  const of = batchOf(slot, slot.runId, callingOf(slot), isPlanning(plan.session));
  return advance(step, plan, { of, slotKept, spoken, halt, incorporated, events });
}

async function planOf(
  step: SessionPart & Pick<Step, 'agent' | 'guards' | 'io' | 'recovered' | 'tools'>,
  { calls, slot, session }: BatchRequest,
  facts: BatchFacts,
) {
  const { loaded, tools, recovered } = step;
  const isMade = slot.made !== undefined;
  const attended = isAttended(step);
  return planBatch(
    calls,
    tools,
    isMade ? [] : step.guards,
    session,
    { ...facts, ...leavesOfBegun(step, facts), mayHaveBegun: recovered.model !== undefined },
    {
      limits: loaded.pinned.limits,
      leaveOf: await leaveOfStep(step, session),
      attended,
      deserted: isDeserted(step, session, attended),
      ...(isPlanning(session) && { standIn }),
    },
    isMade ? undefined : await readCache(step.history, runOf(step.session).id, tools),
  );
}

/** Whether too little time is left to begin a batch. False if this step recovered its reply: it began with its full time. */
function mustLeaveToNext({
  recovered,
  invocation,
  io,
}: Pick<Step, 'recovered' | 'invocation' | 'io'>): boolean {
  return !recovered.model && invocation.deadlineAt - io.clock.now() < WORTH_STARTING_MS;
}

/** Only the try is counted: the next invocation finds the reply's slot, adopts it, and counts the rest. */
function leftToNext({ session }: Pick<Step, 'session'>): Draft {
  const left = withRun(session, { retries: runOf(session).retries + 1 });
  return { session: left, incorporated: [], spoken: [], events: [], ending: { kind: 'leave' } };
}
