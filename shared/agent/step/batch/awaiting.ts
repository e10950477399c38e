/**
 * Calls of a batch that have run and have no result yet: they are answered later, from outside, or ask a person while they run
 * (docs/adr/0018-answers-that-come-later.md). Loaded by the first such batch in a process.
 */

import { own } from '../../plain/merge.ts';
import type { ToolCall, ToolResult } from '../../session/slots.ts';
import { type OpenBatch, queuedIn, type Wait } from '../../session/waits.ts';
import { texts } from '../../texts.ts';
import { roomFor } from '../../tools/asking.ts';
import { laterId, ownOrAnswered, resultOf, standsOver, unanswered } from '../../tools/deferred-results.ts';
import { notRun } from '../../tools/execute.ts';
import { visible } from '../../tools/visible.ts';
import type { Loaded } from '../open/load.ts';
import type { Step } from '../open/step-context.ts';
import { messageCame } from '../open/waiting.ts';
import type { BatchPlan, PlannedCall } from './plan-batch.ts';
import { waitId, withRound } from './waits.ts';

/** Texts that the model reads about calls without an answer. */
const said = {
  /** A call asked the user something, and the user wrote a message instead of an answer. */
  wroteInstead:
    'Error [unanswered]: this call asked the user something, and they have written the message that follows instead. Read it, and make the call again if it is still wanted.',
  stopped:
    'Error [cancelled]: the run was stopped while this call waited for its answer. What it was to do may or may not have been done.',
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
  const deferred = ran.filter(({ awaits }) => awaits?.kind === 'answer');
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
            return planned ? [callbackOf(loaded, open, planned, result)] : [];
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
    ...(deferred.length > 0 && { deferred }),
    ...(queued.length > 0 && { queued }),
    ...(told.length > 0 && { told }),
  };
}

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

function callbackOf(
  { key }: Loaded,
  { slot, since }: OpenBatch,
  { call }: PlannedCall,
  { awaits }: ToolResult,
): Wait {
  const expiresAt = awaits?.kind === 'answer' ? awaits.until : since;
  const message = `${call.name} has run; its answer is to come from outside.`;
  return {
    id: laterId(key, slot, call),
    callId: call.id,
    tool: call.name,
    kind: 'callback',
    message,
    expiresAt,
  };
}

/** The state of calls that have, or may have, given out a token or asked a person. */
export interface Late {
  /** Results of calls that still wait have `awaits`. */
  readonly results: readonly ToolResult[];
  /** Answers of people, by call. */
  readonly answers: Readonly<Record<string, readonly string[]>>;
  /** Calls that were answered from outside. */
  readonly answered: readonly string[];
}

/**
 * Looks for the outcome of the late calls of an open batch. A call whose time is over, or whose run ends, is settled as
 * unanswered here. An answer that came earlier stands; a later one is told that it is too late.
 */
export async function findLate(
  step: Step,
  batch: OpenBatch,
  calls: readonly ToolCall[],
  kept: readonly ToolResult[],
  ends: boolean,
): Promise<Late> {
  const { loaded, io } = step;
  const { key, view } = loaded;
  const { pending, intents, decisions, started } = view.fence;
  const has = (callId: string) => kept.some((result) => result.callId === callId);
  // A worker that is done without a result has stored what its call waits for. One of several workers may have stored a result
  // since.
  const done = batch.waits.filter(
    ({ id, kind, callId }) =>
      kind === 'call' && !pending.includes(id) && (started[id]?.again || !has(callId)),
  );
  const marks =
    done.length > 0
      ? await io.later.settled(
          key,
          done.map(({ id }) => id),
        )
      : {};
  const marked = done
    .flatMap(({ id }) => marks[id]?.result ?? [])
    .filter(({ callId, awaits }) => awaits?.kind === 'answer' || !has(callId));
  // A call from the queue that has begun, and whose worker the batch no longer waits for, may have given out a token.
  const begun = batch.waits.flatMap(({ id, kind, callId }) =>
    kind === 'call' && pending.includes(id) && started[id] && (started[id].again || !has(callId))
      ? [callId]
      : [],
  );
  const died = [...intents.filter((callId) => !has(callId)), ...begun];
  const results = await Promise.all([
    ...[...(batch.deferred ?? []), ...marked].map((result) =>
      outcomeOf(step, batch, calls, result, ends, kept),
    ),
    ...(await lastWords(step, batch.slot, calls, died, kept)),
    // A call that has asked a person may have given out a token before that.
    ...batch.waits.flatMap((wait) => {
      const call = calls.find(({ id }) => id === wait.callId);
      const left = call && leftAs(step, batch, wait, call, ends);
      return left ? [settledAs(step, batch.slot, call, left)] : [];
    }),
  ]);
  const answers = Object.fromEntries(
    Object.entries(batch.answers ?? {}).concat(
      batch.waits.flatMap(({ id, again, callId }): [string, readonly string[]][] => {
        const decision = again && own(decisions, id);
        return decision?.approved
          ? [[callId, [...(batch.answers?.[callId] ?? []), decision.note ?? 'yes']]]
          : [];
      }),
    ),
  );
  const deferred = new Set(batch.deferred?.map(({ callId }) => callId));
  const answered = results.flatMap(({ callId, awaits, outcome }) =>
    deferred.has(callId) && !awaits && outcome !== 'unknown' ? [callId] : [],
  );
  return { results, answers, answered };
}

/**
 * The result of a call that does not run on: the person whom it asked has not answered, or has answered and the call has not
 * begun again. Undefined for any other call.
 */
function leftAs(
  { loaded }: Step,
  { answers = {} }: OpenBatch,
  { id, kind, callId, again }: Wait,
  call: ToolCall,
  ends: boolean,
): ToolResult | undefined {
  const { pending, started, decisions } = loaded.view.fence;
  if (again) {
    const decision = own(decisions, id);
    if (decision) return decision.approved ? undefined : notRun(call, 'refused', texts.denied(decision.note));
    if (ends) return notRun(call, 'cancelled', texts.cancelled);
    return notRun(call, 'refused', messageCame(loaded.inbox) ? said.wroteInstead : texts.unanswered);
  }
  const isLeft = kind === 'call' && pending.includes(id) && !started[id] && own(answers, callId);
  return isLeft ? notRun(call, 'cancelled', ends ? texts.cancelled : texts.callExpired) : undefined;
}

/** The outcome of one waiting call. */
async function outcomeOf(
  step: Step,
  { slot }: OpenBatch,
  calls: readonly ToolCall[],
  waiting: ToolResult,
  ends: boolean,
  kept: readonly ToolResult[],
): Promise<ToolResult> {
  const call = calls.find(({ id }) => id === waiting.callId);
  const { awaits, ...done } = waiting;
  if (!call || !awaits) return waiting;
  // A call that asks a person may have given out a token before.
  if (awaits.kind === 'person')
    return ends ? settledAs(step, slot, call, notRun(call, 'cancelled', texts.cancelled)) : waiting;
  const { loaded, io } = step;
  const id = laterId(loaded.key, slot, call);
  const isOver = ends || awaits.until <= io.clock.now();
  const why = keptOf(call, kept) ?? (ends ? notRun(call, 'unknown', said.stopped) : unanswered(waiting));
  const stands = isOver
    ? (await io.later.settle(loaded.key, id, { result: why })).stands
    : (await io.later.settled(loaded.key, [id]))[id];
  if (!stands) return waiting;
  const isAnswered = stands.digest !== undefined && stands.result.outcome === 'ok';
  return {
    ...(await resultOf(standsOver(stands, why), placeOf(step, slot))),
    ...(isAnswered && progressOf(done)),
    durationMs: waiting.durationMs,
  };
}

/** The result that a worker has stored for a call that was presumed dead. */
const keptOf = (call: ToolCall, kept: readonly ToolResult[]): ToolResult | undefined =>
  kept.find(({ callId }) => callId === call.id);

/** Keeps the reported progress of a call beside its answer. */
const progressOf = ({ progress }: ToolResult): Partial<ToolResult> =>
  progress === undefined ? {} : { progress };

/**
 * Results of fenced calls whose worker has died, and which must not start twice. The outcome is unknown, unless a token that
 * was given out has been answered or a worker has stored a result. No later answer counts.
 */
export function lastWords(
  step: Step,
  slot: number,
  calls: readonly ToolCall[],
  died: readonly string[],
  kept: readonly ToolResult[] = [],
): Promise<ToolResult[]> {
  const those = calls.filter(({ id }) => died.includes(id));
  return Promise.all(
    those.map((call) =>
      settledAs(step, slot, call, keptOf(call, kept) ?? notRun(call, 'unknown', texts.unknownOutcome)),
    ),
  );
}

/** A plan that starts nothing more. Calls that a dead owner may have run, or that have asked a person, may have given out a token. */
export async function settled(
  step: Step,
  slot: number,
  plan: BatchPlan,
  before: BatchPlan,
): Promise<BatchPlan> {
  const calls = plan.calls.map(async (one, i) => {
    const isNew = one.kind === 'settled' && before.calls[i]?.kind === 'run';
    return isNew ? { ...one, result: await settledAs(step, slot, one.call, one.result) } : one;
  });
  return { ...plan, calls: await Promise.all(calls) };
}

/** The result of a call that may have given out a token: this one, unless an answer came first. */
const settledAs = (step: Step, slot: number, call: ToolCall, result: ToolResult): Promise<ToolResult> =>
  ownOrAnswered(call, result, placeOf(step, slot));

/** The place where answers to calls of this slot are settled and stored. */
const placeOf = ({ loaded, io }: Step, slot: number) => ({
  key: loaded.key,
  slot,
  limits: loaded.pinned.limits,
  blobs: io.blobs,
  later: io.later,
});
