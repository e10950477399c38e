/**
 * Calls of a batch that have run and have no result yet: they are answered later, from outside, or ask a person while they run
 * (docs/adr/0018-answers-that-come-later.md). Loaded by the first such batch in a process.
 */

import { allEnded } from '../../plain/all-ended.ts';
import { defined } from '../../plain/defined.ts';
import { own } from '../../plain/merge.ts';
import { toolOf } from '../../session/facts.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { type OpenBatch, queuedIn, type Wait } from '../../session/waits.ts';
import { texts } from '../../texts.ts';
import { roomFor } from '../../tools/asking.ts';
import { laterId, ownOrAnswered, resultOf, standsOver, unanswered } from '../../tools/deferred-results.ts';
import { notRun } from '../../tools/execute.ts';
import { visible } from '../../tools/visible.ts';
import { workSoFar } from '../end/work-done.ts';
import type { Loaded } from '../open/load.ts';
import type { Step } from '../open/step-context.ts';
import { answerCame, newsCame } from '../open/waiting.ts';
import { type BatchFacts, mayHaveBegun } from './known.ts';
import { type BatchPlan, notStarted, type PlannedCall, settled } from './planned-call.ts';
import { withoutLosers } from './race.ts';
import { endedEarly, overText, type Timer, untilText } from './timer-texts.ts';
import { waitId, withRound } from './waits.ts';

/** Texts that the model reads about calls without an answer. */
const said = {
  /** A call asked the user something, and the user wrote a message instead of an answer. */
  wroteInstead:
    'Error [unanswered]: this call asked the user something, and they have written the message that follows instead. Read it, and make the call again if it is still wanted.',
  /** A page was to carry the call out, and its user has written a message before it has answered. */
  wroteFirst:
    'Error [no_answer]: the page of the user has not answered this call, and they have written the message that follows. The call may or may not have been carried out. Read the message, and make the call again if it is still wanted.',
  noPage:
    'Error [no_answer]: no page of the user has answered this call in time. The call may or may not have been carried out. Say so, and make it again only if it is still wanted.',
  stopped:
    'Error [cancelled]: the run was stopped while this call waited for its answer. It may or may not have taken effect.',
};

/**
 * The batch in its next wait: for the people whom a call has asked, if there are any; otherwise for the calls in the queue
 * (`open`); otherwise for answers from outside.
 *
 * @param isTold clients have been told the results, if none comes from the queue
 */
export function openAwaiting(
  loaded: Loaded,
  open: OpenBatch,
  calls: readonly PlannedCall[],
  ran: readonly ToolResult[],
  isTold: boolean,
): OpenBatch {
  const asking = ran.flatMap((result) =>
    result.awaits?.kind === 'person' ? [{ result, question: result.awaits.question }] : [],
  );
  const deferred = ran.filter(({ awaits }) => awaits && awaits.kind !== 'person');
  const looksAgain = ran.filter(({ late }) => late).map((result) => lookedUpAgain(open, result));
  const plannedOf = ({ callId }: ToolResult) => calls.find(({ call }) => call.id === callId);
  const waits =
    asking.length > 0
      ? asking.flatMap(({ result, question }) => {
          const planned = plannedOf(result);
          const room = roomFor(asking.length);
          return planned
            ? [questionOf(loaded, open, planned, visible(question, { room, lines: true }).text)]
            : [];
        })
      : open.waits.length > 0
        ? open.waits
        : deferred.flatMap((result) => {
            const planned = plannedOf(result);
            return planned ? [deferredOf(loaded, open, planned, result)] : [];
          });
  const before = loaded.view.session.batch;
  const queued = [...queuedIn(before)];
  // If some calls come from the queue, clients are told no results before all of them are there (`run-calls.ts`).
  const tells = isTold && open.waits.length === 0 && queued.length === 0;
  const toldNow = tells ? ran.filter(({ awaits }) => !awaits).map(({ callId }) => callId) : [];
  const told = [...new Set([...(before?.told ?? []), ...toldNow])];
  return {
    ...open,
    waits,
    ...(deferred.length + looksAgain.length > 0 && { deferred: [...deferred, ...looksAgain] }),
    ...(queued.length > 0 && { queued }),
    ...(told.length > 0 && { told }),
  };
}

/**
 * A call with a settled outcome, as the batch remembers it: later steps look that outcome up again. A worker that was presumed
 * dead may have stored another result before, and the stored one cannot be replaced.
 */
const lookedUpAgain = (
  { since }: OpenBatch,
  { callId, name, outcome, durationMs, progress }: ToolResult,
): ToolResult => ({
  ...{ callId, name, outcome, content: '', durationMs },
  ...defined({ progress }),
  awaits: { kind: 'answer', until: since },
});

function questionOf(
  { key, pinned }: Loaded,
  { slot, since }: OpenBatch,
  { call, answers = [] }: PlannedCall,
  message: string,
): Wait {
  const id = withRound(waitId(key, slot, 'question', call), answers.length);
  const expiresAt = since + pinned.approvals.expireAfterSeconds * 1000;
  return { id, callId: call.id, tool: call.name, kind: 'question', message, expiresAt, again: true };
}

function deferredOf(
  { key }: Loaded,
  { slot, since }: OpenBatch,
  { call }: PlannedCall,
  { awaits }: ToolResult,
): Wait {
  const of = { callId: call.id, tool: call.name };
  if (awaits?.kind === 'timer')
    return {
      ...{ ...of, id: waitId(key, slot, 'timer', call), kind: 'timer' },
      ...{ message: untilText(awaits), expiresAt: awaits.until },
    };
  const { until = since, child, page, races } = awaits?.kind === 'answer' ? awaits : {};
  return {
    ...{ ...of, id: laterId(key, slot, call) },
    ...(child !== undefined
      ? { kind: 'child', child, ...(races && { races }), message: `${call.name} is at work.` }
      : page
        ? { kind: 'page', message: `${call.name} is to be answered by the page that offers it.` }
        : { kind: 'callback', message: `${call.name} has run; its answer is to come from outside.` }),
    expiresAt: until,
  };
}

/** The state of calls that have, or may have, given out a token or asked a person. */
interface Late extends Pick<BatchFacts, 'answers' | 'answered'> {
  /** Results of calls that still wait have `awaits`. */
  readonly found: readonly ToolResult[];
}

/**
 * Looks for the outcome of each late call of a batch. A call whose time is over, or whose run ends, is settled as
 * unanswered here. An answer that came earlier stands; a later one is told that it is too late.
 */
export async function findLate(
  step: Pick<Step, 'io' | 'isRetry' | 'loaded' | 'recovered' | 'session' | 'tools'>,
  batch: OpenBatch,
  calls: readonly ToolCall[],
  kept: readonly ToolResult[],
  ends: boolean,
): Promise<Late> {
  const waiting = [...(batch.deferred ?? []), ...(await marksIn(step, batch, kept))];
  const lateOf = (call: ToolCall) => {
    const before = kept.find(({ callId }) => callId === call.id);
    const waits = waiting.find(({ callId }) => callId === call.id);
    if (waits) return outcomeOf(step, batch.slot, call, waits, before, ends);
    const last = lastWord(step, batch, call, before, ends);
    return last && settledAs(step, batch.slot, call, last);
  };
  const late = (await allEnded(calls.map(lateOf))).flatMap((result) => result ?? []);
  const standing = await standingOf(step, batch, calls, [...late, ...kept]);
  const deferred = new Set(
    batch.deferred?.flatMap(({ callId, awaits }) => (awaits?.kind === 'answer' ? [callId] : [])),
  );
  const answered = late.flatMap(({ callId, awaits, outcome }) =>
    deferred.has(callId) && !awaits && outcome !== 'unknown' ? [callId] : [],
  );
  const found = await withoutLosers(calls, [...late, ...standing, ...kept], step.tools, (call, lost) =>
    settledAs(step, batch.slot, call, lost),
  );
  return { found, answers: answersIn(step, batch), answered };
}

/**
 * Results with `awaits` of queued calls: a worker that is done without a result has stored for what its call waits. One of
 * several workers may have stored a result since.
 */
async function marksIn(
  { loaded, io }: Pick<Step, 'loaded' | 'io'>,
  { waits }: OpenBatch,
  kept: readonly ToolResult[],
): Promise<ToolResult[]> {
  const { pending, started } = loaded.view.fence;
  const has = (callId: string) => kept.some((result) => result.callId === callId);
  const ids = waits.flatMap(({ id, kind, callId }) =>
    kind === 'call' && !pending.includes(id) && (own(started, id)?.again || !has(callId)) ? [id] : [],
  );
  const marks = ids.length > 0 ? await io.later.settled(loaded.key, ids) : {};
  return ids
    .flatMap((id) => own(marks, id)?.result ?? [])
    .filter(({ callId, awaits }) => (awaits && awaits.kind !== 'person') || !has(callId));
}

/**
 * The result of a call that does not run on, unless an answer came first: its worker has died, and it must not start twice; or
 * the person whom it asked has not let it run on, or has and it has not begun again. Undefined for any other call.
 *
 * @param kept the result that a worker has stored for it
 */
function lastWord(
  { loaded }: Pick<Step, 'loaded'>,
  { waits, answers = {} }: OpenBatch,
  call: ToolCall,
  kept: ToolResult | undefined,
  ends: boolean,
): ToolResult | undefined {
  const { intents, pending, started, decisions } = loaded.view.fence;
  const unknown = () => kept ?? notRun(call, 'unknown', texts.unknownOutcome);
  if (intents.includes(call.id) && !kept) return unknown();
  const wait = waits.find(({ callId }) => callId === call.id);
  if (wait?.again) {
    const decision = own(decisions, wait.id);
    if (decision) return decision.approved ? undefined : notRun(call, 'refused', texts.denied(decision.note));
    if (ends) return notRun(call, 'cancelled', texts.cancelled);
    return notRun(call, 'refused', answerCame(loaded) ? said.wroteInstead : texts.unanswered);
  }
  // A call from the queue whose worker the batch no longer waits for.
  if (wait?.kind !== 'call' || !pending.includes(wait.id)) return undefined;
  const start = own(started, wait.id);
  if (start) return start.again || !kept ? unknown() : undefined;
  return own(answers, call.id) && notRun(call, 'cancelled', ends ? texts.cancelled : texts.callExpired);
}

/** Answers of people to the questions of calls, by call. */
function answersIn({ loaded }: Pick<Step, 'loaded'>, { waits, answers = {} }: OpenBatch): Late['answers'] {
  const now = waits.flatMap(({ id, again, callId }): [string, readonly string[]][] => {
    const decision = again && own(loaded.view.fence.decisions, id);
    return decision?.approved ? [[callId, [...(own(answers, callId) ?? []), decision.note ?? 'yes']]] : [];
  });
  return Object.fromEntries([...Object.entries(answers), ...now]);
}

/**
 * The settled outcomes of calls that may have run before and that nothing holds back: their answer, or what a dead owner settled
 * them as. Such a call is not run again, because its new result would not count.
 */
async function standingOf(
  step: Pick<Step, 'io' | 'isRetry' | 'loaded' | 'recovered' | 'session' | 'tools'>,
  { slot, waits, answers = {} }: OpenBatch,
  calls: readonly ToolCall[],
  known: readonly ToolResult[],
): Promise<ToolResult[]> {
  const { loaded, io, tools } = step;
  const begun = mayHaveBegun(step);
  const mayRun = (call: ToolCall) => {
    const wait = waits.find(({ callId }) => callId === call.id);
    const isHeld = wait !== undefined && loaded.view.fence.pending.includes(wait.id);
    const isFree = wait?.again || (!isHeld && (begun || own(answers, call.id)));
    const isQueued = toolOf(tools, call)?.where === 'queue';
    return isFree && !isQueued && !known.some(({ callId }) => callId === call.id);
  };
  const ids = calls.filter(mayRun).map((call) => laterId(loaded.key, slot, call));
  const stands = ids.length > 0 ? Object.values(await io.later.settled(loaded.key, ids)) : [];
  return Promise.all(stands.map((one) => resultOf(one, placeOf(step, slot))));
}

/** The outcome of a call that waits for an answer: the answer, or `kept` if it came to a result of its own. */
async function outcomeOf(
  step: Pick<Step, 'io' | 'loaded'>,
  slot: number,
  call: ToolCall,
  waiting: ToolResult,
  kept: ToolResult | undefined,
  ends: boolean,
): Promise<ToolResult> {
  const { awaits, ...done } = waiting;
  if (!awaits) return waiting;
  if (awaits.kind === 'timer') return timed(step, call, waiting, awaits, ends);
  // A call that asks a person may have given out a token before.
  if (awaits.kind === 'person')
    return ends ? settledAs(step, slot, call, notRun(call, 'cancelled', texts.cancelled)) : waiting;
  const { loaded, io } = step;
  const id = laterId(loaded.key, slot, call);
  const isOvertaken = awaits.page === true && answerCame(loaded);
  const isOver = ends || isOvertaken || endOf(loaded, call, awaits.until) <= io.clock.now();
  const unknown = (text: string) => notRun(call, 'unknown', text);
  const late = awaits.page ? unknown(isOvertaken ? said.wroteFirst : said.noPage) : unanswered(waiting);
  const plain = kept ?? (ends ? unknown(said.stopped) : late);
  const why =
    isOver && awaits.child !== undefined && !kept ? await withWork(step, awaits.child, plain) : plain;
  const stands = isOver
    ? (await io.later.settle(loaded.key, id, { result: why })).stands
    : (await io.later.settled(loaded.key, [id]))[id];
  if (!stands) return waiting;
  const isAnswered = stands.digest !== undefined && stands.result.outcome === 'ok';
  return {
    ...(await resultOf(standsOver(stands, why), placeOf(step, slot))),
    ...(isAnswered && done.progress !== undefined && { progress: done.progress }),
    durationMs: waiting.durationMs,
  };
}

/** The result of a call that no longer waits for a session, with what the session has done. An answer that came first stands. */
async function withWork(
  { loaded: { key }, io }: Pick<Step, 'io' | 'loaded'>,
  sessionId: string,
  result: ToolResult,
): Promise<ToolResult> {
  const done = await workSoFar({ tenant: key.tenant, sessionId }, io);
  return { ...result, content: result.content + done };
}

/** Epoch ms at which the wait for a call ends: before its own time, if the run is to sum up. */
const endOf = ({ view: { session } }: Loaded, { id }: ToolCall, until: number): number =>
  Math.min(
    until,
    ...(session.batch?.waits ?? []).flatMap((wait) =>
      wait.callId === id && wait.kind !== 'call' ? wait.expiresAt : [],
    ),
  );

/** The outcome of a call that waits for its time: over, ended early by news, or still waiting. */
function timed(
  { loaded, io }: Pick<Step, 'loaded' | 'io'>,
  call: ToolCall,
  waiting: ToolResult,
  timer: Timer,
  ends: boolean,
): ToolResult {
  if (ends) return notRun(call, 'cancelled', texts.cancelled);
  const now = io.clock.now();
  if (endOf(loaded, call, timer.until) > now && !newsCame(loaded)) return waiting;
  const { awaits: _, ...done } = waiting;
  return { ...done, content: timer.until > now ? endedEarly(timer, now) : overText(timer, now) };
}

/** A plan in which nothing more starts. Calls that may have run, or have asked a person, may have given out a token. */
export async function stopped(
  step: Pick<Step, 'io' | 'loaded'>,
  slot: number,
  plan: BatchPlan,
): Promise<BatchPlan> {
  const calls = plan.calls.map(async (one): Promise<PlannedCall> => {
    if (one.kind === 'settled') return one;
    const { call, leave, said } = one;
    const result = await settledAs(step, slot, call, notStarted(one));
    return { ...settled(call, result), ...defined({ leave, said }) };
  });
  return { ...plan, calls: await Promise.all(calls) };
}

/** The result of a call that may have given out a token: this one, unless an answer came first. */
const settledAs = (
  step: Pick<Step, 'io' | 'loaded'>,
  slot: number,
  call: ToolCall,
  result: ToolResult,
): Promise<ToolResult> => ownOrAnswered(call, result, placeOf(step, slot));

/** The place where answers to calls of this slot are settled and stored. */
const placeOf = ({ loaded, io }: Pick<Step, 'loaded' | 'io'>, slot: number) => ({
  key: loaded.key,
  slot,
  limits: loaded.pinned.limits,
  blobs: io.blobs,
  later: io.later,
});
