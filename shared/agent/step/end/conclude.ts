import type { AgUiEvent, RunOutcome, RunResult } from '../../../contract/events.ts';
import { type LastEnding, MAX_ENDING_MESSAGE, type Reason } from '../../../contract/session.ts';
import { forPeople } from '../../guardrails/for-people.ts';
import { defined } from '../../plain/defined.ts';
import { own } from '../../plain/merge.ts';
import type { Fence } from '../../ports/fence.ts';
import { backgroundUntil } from '../../session/background.ts';
import { publicRunId } from '../../session/run-ids.ts';
import { type Session, withRun } from '../../session/session.ts';
import { openOf, tasksIn } from '../../session/tasks.ts';
import type { Spoken } from '../../session/verdict.ts';
import {
  type Ask,
  endsWith,
  firstExpiry,
  isForPeople,
  reasonOf,
  type Wait,
  waitsForChildren,
  waitsOutside,
} from '../../session/waits.ts';
import { wrapUpAtOf } from '../../session/wrap-up.ts';
import type { Conclusion, Draft, Ended, Ending, StillOpen } from '../draft.ts';

/**
 * Decides how a step ends, given what others have written by now. Pure, so that a commit that lost a race can decide again
 * (docs/design.md, step 7): a cancel that was seen beats completion, and a message that arrived during the last step continues
 * the run.
 *
 * @param claimed the fence as the step has found it; `fence` when absent
 */
export function conclude(draft: Draft, fence: Fence, now: number, claimed = fence): Conclusion {
  const pending = fence.inbox.filter((id) => !draft.incorporated.includes(id));
  const morePending = pending.length > 0 || fence.overflow;
  if (draft.ending.kind === 'wait') {
    const { still } = draft.ending;
    // Overflow behind events that settle nothing does not end the wait.
    const messageCame = still ? pending.some((id) => !still.seen.includes(id)) : morePending;
    // A request to wrap up may have come, of a session that works for another one or has others work for it.
    const hasCome = fence.inboxSeq !== claimed.inboxSeq || (!still && morePending);
    const knocked = hasCome && waitsOutside(draft.session) && isInFamily(draft.session);
    return concludeWait(draft, still, fence, now, messageCame, knocked);
  }
  const ending: FinalEnding =
    draft.ending.kind === 'leave'
      ? { ...draft.ending, kind: 'continue' }
      : finalEnding(draft.ending, draft.session, fence, morePending);
  const { session } = draft;

  if (ending.kind === 'continue') {
    const said = draft.spoken.filter(({ unsaid }) => !unsaid);
    return {
      said,
      session: { ...withSummary(session, draft.result), state: 'running', reason: undefined },
      next: { kind: 'run', dueAt: now + (ending.delayMs ?? 0) },
      waits: [],
      events: [...said.flatMap(toGuardEvent), ...draft.events],
    };
  }
  const ended = endRun(session, ending.halt, fence, now);
  const said = draft.spoken.filter((spoken) => !spoken.unsaid && !isPending(spoken, session));
  return {
    said,
    session: ended,
    next: morePending ? { kind: 'run', dueAt: now } : { kind: 'rest' },
    waits: [],
    events: [
      ...said.flatMap(toGuardEvent),
      ...draft.events,
      ...terminalEvents(ended, ending.halt, draft.result),
    ],
  };
}

/** Whether a session works for another one, or waits for one that works for it. */
const isInFamily = (session: Session): boolean => session.parent !== undefined || waitsForChildren(session);

/** The session of a run that goes on after its summary, which is part of its result however it ends: a fold may replace the slot. */
const withSummary = (session: Session, came: Draft['result']): Session =>
  came?.summary ? withRun(session, { summary: came.summary }) : session;

/**
 * The run waits. If it waits for people, its AG-UI run ends as an interrupt. An event that arrived meanwhile and settles the
 * wait (a cancel, a message in place of an answer, or news for a timer) is left to the next invocation.
 *
 * @param knocked something has come, and it may be that a child asks people, or that the run is to wrap up
 */
function concludeWait(
  draft: Draft,
  still: StillOpen | undefined,
  fence: Fence,
  now: number,
  messageCame: boolean,
  knocked: boolean,
): Conclusion {
  const { spoken } = draft;
  const session = inTime(draft.session);
  const { batch } = session;
  if (!batch) throw new Error('a run waits without an open batch');
  const open = still?.waits ?? batch.waits;
  const waits = still ? 'keep' : open.map(({ id }) => id);
  const said = spoken.filter(({ unsaid }) => !unsaid);
  const events = [...said.flatMap(toGuardEvent), ...draft.events];
  const answered = messageCame && open.every(endsWith);
  if (fence.cancelGen > session.cancelSeen || answered || knocked) {
    const running: Session = { ...session, state: 'running', reason: undefined };
    return { said, session: running, next: { kind: 'run', dueAt: now }, waits, events };
  }
  const until = firstExpiry(open);
  if (!waitsOutside(session)) {
    const waiting: Session = { ...session, state: 'waiting_for_tool', reason: undefined };
    return { said, session: waiting, next: { kind: 'wait_for_calls', until }, waits, events };
  }
  const asked = [...open, ...(batch.asks ?? [])];
  const waiting: Session = { ...session, ...waitingFor(asked) };
  return {
    said,
    session: waiting,
    next: { kind: 'wait_for_people', until },
    waits,
    events: [...events, interrupted(waiting, asked)],
  };
}

/**
 * The session whose waits end in time for its summary, or with its time in the background. Queued calls may take that time: they
 * are at work.
 */
function inTime(session: Session): Session {
  const { batch } = session;
  const until = backgroundUntil(session) ?? Number.POSITIVE_INFINITY;
  const wrapUpAt = wrapUpAtOf(session) ?? until;
  if (!batch || Math.min(until, wrapUpAt) === Number.POSITIVE_INFINITY) return session;
  const waits = batch.waits.map((wait) => ({
    ...wait,
    expiresAt: Math.min(wait.expiresAt, wait.kind === 'call' ? until : wrapUpAt),
  }));
  return { ...session, batch: { ...batch, waits } };
}

/** State and reason of a run with these open waits. */
function waitingFor(open: readonly Pick<Wait, 'kind'>[]): Pick<Session, 'state' | 'reason'> {
  const state = open.some(isForPeople) ? 'waiting_for_input' : 'waiting_for_tool';
  return { state, reason: reasonOf(open) };
}

/** Whether a nudge is still to be told. */
const isPending = (spoken: Spoken, { nudges }: Session): boolean =>
  spoken.kind === 'nudge' && nudges.some(({ text }) => text === spoken.text);

const grantable = { metadata: { grantable: true } } as const;

/** A question of a guard cannot be answered with a grant. */
const isGrantable = ({ batch }: Session, wait: Wait | Ask): boolean =>
  'grantable' in wait || (wait.kind === 'approval' && !wait.child && !own(batch?.refused ?? {}, wait.callId));

function interrupted(session: Session, waits: readonly (Wait | Ask)[]): AgUiEvent {
  const interrupts = waits.map((wait) => ({
    id: wait.id,
    reason: wait.kind,
    message: wait.message,
    toolCallId: wait.callId,
    expiresAt: new Date(wait.expiresAt).toISOString(),
    ...(isGrantable(session, wait) && grantable),
  }));
  const threadId = session.key.sessionId;
  const outcome: RunOutcome = { type: 'interrupt', interrupts };
  const result = resultOf(session);
  return { type: 'RUN_FINISHED', threadId, runId: publicRunId(session), result, outcome };
}

type FinalEnding = Extract<Ending, { kind: 'continue' | 'halt' }>;

function finalEnding(
  ending: Exclude<Ending, { kind: 'leave' | 'wait' }>,
  session: Session,
  fence: Fence,
  morePending: boolean,
): FinalEnding {
  if (
    fence.cancelGen > session.cancelSeen &&
    !(ending.kind === 'halt' && ending.halt.reason !== 'awaiting_user')
  ) {
    return { kind: 'halt', halt: cancelled };
  }
  if (ending.kind !== 'complete') return ending;
  if (morePending) return { kind: 'continue' };
  return {
    kind: 'halt',
    halt: {
      state: 'completed',
      reason: ending.reason,
      code: ending.flag?.code ?? ending.reason,
      message: ending.flag ? forPeople({ ...ending.flag, kind: 'flag' }) : 'The run is complete.',
      ...(ending.flag && { guard: ending.flag.guard }),
    },
  };
}

const cancelled = {
  state: 'cancelled',
  reason: 'cancelled',
  code: 'cancelled',
  message: 'The run was cancelled.',
} as const;

function endRun(session: Session, halt: Ended, fence: Fence, now: number): Session {
  const { state, reason } = halt;
  const run = session.run && { ...session.run, ended: true };
  const lastEnding = run ? lastEndingOf(halt, now) : session.lastEnding;
  return {
    ...session,
    state,
    reason,
    run,
    lastEnding,
    batch: undefined,
    nudges: [],
    cancelSeen: fence.cancelGen,
  };
}

const lastEndingOf = ({ state, reason, code, message, guard }: Ended, at: number): LastEnding => ({
  ...{ state, reason, code, message: message.slice(0, MAX_ENDING_MESSAGE) },
  ...(guard && { guard }),
  at,
});

/** The one terminal event of a run, and its result for clients that want more than AG-UI tells. */
function terminalEvents(session: Session, halt: Ended, came: Draft['result']): AgUiEvent[] {
  const { key, state, reason, run } = session;
  if (!run || !reason) return [];
  const { message, code, guard } = halt;
  const result: RunResult = {
    ...resultOf(session),
    ...defined({ summary: run.summary }),
    // If a guard accepted an answer in spite of an objection, the event says so, even if the answer is complete.
    ...((reason !== 'completed' || guard) && { message, code, ...(guard && { guard }) }),
    ...came,
  };
  const ended: AgUiEvent = { type: 'CUSTOM', name: 'steploop.ended', value: result };
  const outcome = outcomeOf(state, run.id, reason, message);
  if (!outcome) return [ended, { type: 'RUN_ERROR', message, code: reason }];
  const runId = publicRunId(session);
  return [ended, { type: 'RUN_FINISHED', threadId: key.sessionId, runId, result, outcome }];
}

/** The result of a run so far. */
function resultOf(session: Session): RunResult {
  const { state, reason, run } = session;
  if (!run || !reason) throw new Error('a result of no run');
  const { steps, toolCalls, totals } = run;
  const openTasks = openOf(tasksIn(session));
  return {
    ...{ success: state === 'completed', state, reason, steps, toolCalls, totals },
    ...defined({ openTasks }),
  };
}

function outcomeOf(
  state: Session['state'],
  runId: string,
  reason: Reason,
  message: string,
): RunOutcome | undefined {
  switch (state) {
    case 'completed':
      return { type: 'success' };
    case 'cancelled':
      return { type: 'cancelled' };
    case 'waiting_for_input':
      return { type: 'interrupt', interrupts: [{ id: runId, reason, message }] };
    default:
      return undefined;
  }
}

function toGuardEvent(spoken: Spoken): AgUiEvent[] {
  if (spoken.kind === 'flag' || (spoken.kind === 'nudge' && spoken.again)) return [];
  const { guard, code, kind: action, metadata } = spoken;
  const value = { guard, action, code, message: forPeople(spoken), ...defined({ metadata }) };
  return [{ type: 'CUSTOM', name: 'steploop.guard', value }];
}
