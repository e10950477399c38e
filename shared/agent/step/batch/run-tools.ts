import type { Stages } from '../../guardrails/guard.ts';
import type { Judgement } from '../../guardrails/judge.ts';
import { callingOf } from '../../session/made.ts';
import { isPlanning } from '../../session/proposals.ts';
import { runOf, withRun } from '../../session/session.ts';
import type { ModelSlot, ToolCall } from '../../session/slots.ts';
import type { Halt, Spoken } from '../../session/verdict.ts';
import type { OpenBatch } from '../../session/waits.ts';
import { standIn } from '../../tools/planning.ts';
import { readCache } from '../../tools/read-cache.ts';
import type { Draft, Ended } from '../draft.ts';
import { toModelSlot, withNudges } from '../end/outcomes.ts';
import { tellCalls } from '../end/tell-calls.ts';
import type { Accounted } from '../model/account.ts';
import { keepSlots } from '../open/keep-slots.ts';
import type { Step } from '../open/step-context.ts';
import { leavesOf } from './denied.ts';
import { isAttended, isDeserted, leaveOfStep, leavesOfBegun } from './permission.ts';
import { type BatchPlan, planBatch, withoutStarting } from './plan-batch.ts';
import { readAwaiting } from './read-awaiting.ts';
import { batchOf, keepToClose, type ObservedResults, runAndKeep } from './run-batch.ts';
import { asksPeople, isQueued, openForPeople } from './waits.ts';

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
export const runReply = (step: Step, accounted: Accounted, judged: Judged, halt: Halt | undefined) =>
  runTools(
    step,
    {
      calls: accounted.answer.reply.calls,
      slot: (spoken) => toModelSlot(step, accounted, spoken),
      incorporated: accounted.turn.incorporated,
      events: accounted.events,
    },
    judged,
    halt,
  );

type Judged = Judgement<Stages['reply']['verdict']>;

/** A batch that a reply asks for, or the system in its place. */
export interface Asking extends Pick<Draft, 'incorporated' | 'events'> {
  readonly calls: readonly ToolCall[];
  /** The slot that asks for the batch, as it is stored. */
  readonly slot: (spoken: readonly Spoken[]) => ModelSlot;
}

/** As {@link runReply}, for any batch. Guards do not judge system calls, and earlier results do not replace them. */
export async function runTools(
  step: Step,
  asks: Asking,
  judged: Judged,
  halt: Halt | undefined,
): Promise<Draft> {
  const { loaded, tools, recovered } = step;
  const { calls } = asks;
  const isMade = asks.slot([]).made !== undefined;
  const guards = isMade ? [] : step.guards;
  const earlier = await startedEarlier(step, calls, halt !== undefined);
  const told = withNudges(judged.session, judged.spoken);
  const attended = isAttended(step);
  const planned = planBatch(
    calls,
    tools,
    guards,
    told,
    {
      ...earlier,
      ...leavesOfBegun(step, earlier.started, earlier.results),
      mayHaveBegun: recovered.model !== undefined,
    },
    {
      limits: loaded.pinned.limits,
      leaveOf: await leaveOfStep(step, told),
      attended,
      deserted: isDeserted(step, told, attended),
      ...(isPlanning(told) && { standIn }),
    },
    isMade ? undefined : readCache(step.history, runOf(step.session).id, tools),
  );
  const plan = halt
    ? await (await readAwaiting()).settled(
        step,
        step.session.version,
        withoutStarting(planned, earlier.results),
        planned,
      )
    : planned;
  const staysOpen = !recovered.tools && (asksPeople(plan) || plan.calls.some(isQueued));

  const slot = {
    ...asks.slot(staysOpen ? [...judged.spoken, ...plan.spoken] : judged.spoken),
    ...leavesOf(plan.calls),
  };
  const slotKept = keepSlots(step, [slot]);
  if (mustLeaveToNext(step)) {
    await slotKept;
    return leftToNext(step);
  }
  if (!recovered.model) tellCalls(step, slot, calls);
  // Both run to their end, even if one fails, so that nothing of a step continues in the background.
  const [ran, kept] = await Promise.allSettled([carryOut(step, plan, slot, slotKept), slotKept]);
  if (kept.status === 'rejected') throw kept.reason;
  if (ran.status === 'rejected') throw ran.reason;
  const outcome = ran.value;

  const heard = {
    incorporated: asks.incorporated,
    events: asks.events,
  };
  if ('waits' in outcome) {
    return {
      ...heard,
      session: { ...plan.session, version: slot.n + 1, batch: outcome },
      spoken: slot.verdicts,
      ending: { kind: 'wait' },
    };
  }
  const ending: Ended | undefined = halt ?? plan.halt ?? outcome.halt;
  return {
    ...heard,
    toolsMs: outcome.toolsMs,
    session: { ...outcome.session, version: slot.n + 2 },
    spoken: [...slot.verdicts, ...plan.spoken, ...outcome.spoken],
    ...(ending ? { ending: { kind: 'halt', halt: ending } } : outcome.onward),
  };
}

/** Asks people, or runs the batch. */
async function carryOut(
  step: Step,
  plan: BatchPlan,
  slot: ModelSlot,
  slotKept: Promise<void>,
): Promise<ObservedResults | OpenBatch> {
  const { loaded, io, recovered } = step;
  if (!recovered.tools && asksPeople(plan)) {
    const settled = plan.calls.flatMap((planned) => (planned.kind === 'settled' ? planned.result : []));
    await keepToClose(step, slot.n, settled);
    return openForPeople(loaded, slot.n, plan.calls, io.clock.now());
  }
  const of = batchOf(slot, slot.runId, callingOf(slot), isPlanning(plan.session));
  return runAndKeep(step, plan, of, slotKept);
}

/**
 * Unsafe calls that a dead owner started, and all results that it stored. Reads them only when there may be some, or when
 * nothing more is to start.
 */
async function startedEarlier(step: Step, calls: readonly ToolCall[], ends: boolean) {
  const { loaded, session, io, recovered } = step;
  const started = loaded.view.fence.intents;
  if (started.length === 0 && !recovered.model && !ends) return { started, results: [] };
  const results = await io.sessions.results(loaded.key, session.version);
  const died = started.filter((id) => !results.some(({ callId }) => callId === id));
  if (died.length === 0) return { started, results };
  // A token that the dead owner gave out may have been used.
  const last = await (await readAwaiting()).lastWords(step, session.version, calls, died);
  return { started, results: [...results, ...last] };
}

/** Whether too little time is left to begin a batch. False if this step recovered its reply: it began with its full time. */
function mustLeaveToNext({ recovered, invocation, io }: Step): boolean {
  return !recovered.model && invocation.deadlineAt - io.clock.now() < WORTH_STARTING_MS;
}

/** Only the try is counted: the next invocation finds the reply's slot, adopts it, and counts the rest. */
function leftToNext({ session }: Step): Draft {
  const left = withRun(session, { retries: runOf(session).retries + 1 });
  return { session: left, incorporated: [], spoken: [], events: [], ending: { kind: 'leave' } };
}
