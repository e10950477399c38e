import { canonicalJson, hash } from '../plain/hash.ts';
import type { CallbackToken, Settled } from '../ports/callbacks.ts';
import type { Ports } from '../ports/ports.ts';
import type { Speaker } from '../session/caller.ts';
import type { ToolResult } from '../session/slots.ts';
import { wakeFor } from '../session/wake.ts';
import { hashOfToken, unanswered } from '../tools/deferred-results.ts';

/** An answer from outside for a call: its result, or why it has failed. */
export type LateAnswer = { readonly result: unknown } | { readonly error: string };

/** The outcome of an answer. */
export type AnswerResult =
  /** It was accepted. */
  | 'taken'
  /** The same answer was accepted before. */
  | 'taken_before'
  /** The call already has another answer. */
  | 'answered'
  /** Its time is over. */
  | 'expired'
  /** The call no longer waits for an answer: the run was stopped, the call got another result, or its session is gone. */
  | 'over'
  /** There is no such token. */
  | 'unknown';

export type AnswerPorts = Pick<Ports, 'clock' | 'sessions' | 'queue' | 'later'>;

/**
 * Answers a call in the name of the holder of its token. An answer counts once: of several answers the first one stands, and a
 * repetition of it is told so. Resolves when the answer is durable and, if the call is already waited for, a wake is on the
 * queue.
 *
 * The answer is stored first, then its wait is looked for. A step that opens the wait looks for the answer afterwards. So one
 * of them sees the other, whichever is first; and if an answer and the end of its wait meet, `settle` decides which one counts.
 */
export async function answerCall(token: string, answer: LateAnswer, io: AnswerPorts): Promise<AnswerResult> {
  const grant = await io.later.granted(hashOfToken(token));
  return grant ? answerGranted(grant, answer, io) : 'unknown';
}

/**
 * As {@link answerCall}, for a caller that is known to hold a token, or whose page has offered the tool.
 *
 * @param by the person whose page answers: their words reach the run
 */
export async function answerGranted(
  grant: CallbackToken,
  answer: LateAnswer,
  io: AnswerPorts,
  by?: Speaker,
): Promise<Exclude<AnswerResult, 'unknown'>> {
  const { clock, sessions, later, queue } = io;
  const { id, slot } = grant;
  const digest = hash(canonicalJson(answer));
  const key = { tenant: grant.tenant, sessionId: grant.sessionId };
  if (grant.expiresAt <= clock.now()) {
    const stands = await endOf(grant, io);
    return stands?.digest === digest ? 'taken_before' : 'expired';
  }
  const { stands, first } = await later.settle(key, id, {
    result: { ...resultOf(grant, answer), ...(by && { answeredBy: by }) },
    digest,
  });
  if (stands.digest === undefined) return 'over';

  const view = await sessions.read(key);
  const isWaited = view?.session.batch?.waits.some((wait) => wait.id === id) ?? false;
  if (view && isWaited) {
    if (view.fence.pending.includes(id)) await later.resolve(key, id, clock.now());
    // Deduplicate the effect, never the wake: the process that stored the answer that stands, or took it out, may have died right then.
    await queue.send(wakeFor(view.session));
  }
  if (stands.digest !== digest) return 'answered';
  if (!first) return 'taken_before';
  // The batch of its reply is in the slot after it. A step may have closed the batch with this answer since it was stored.
  const isClosed = view && view.session.version > slot + 1 && !isWaited;
  return view && (!isClosed || (await hasResult(grant, io))) ? 'taken' : 'over';
}

/**
 * The result of a call whose time is over. If the call is still waited for and has no answer, a copy of the answer that is
 * still on its way does not count either. A call that still runs gets its own result.
 */
async function endOf(
  { id, slot, ...of }: CallbackToken,
  { sessions, later }: AnswerPorts,
): Promise<Settled | undefined> {
  const key = { tenant: of.tenant, sessionId: of.sessionId };
  const [view, results] = await Promise.all([sessions.read(key), sessions.results(key, slot)]);
  const kept = results.find(({ callId }) => callId === of.callId);
  const isWaited = kept?.awaits ?? view?.session.batch?.waits.some((wait) => wait.id === id);
  if (!isWaited) return (await later.settled(key, [id]))[id];
  const result = kept && !kept.awaits ? kept : unanswered(of);
  return (await later.settle(key, id, { result })).stands;
}

/** Whether the batch has a result of the call. A step that closes the batch settles the call first, so this result stands. */
async function hasResult(
  { slot, callId, ...key }: CallbackToken,
  { sessions }: AnswerPorts,
): Promise<boolean> {
  const stored = await sessions.slots(key, slot + 1, { below: slot + 2, bytes: 1 });
  return stored.some(
    ({ slot: batch }) => batch.kind === 'tools' && batch.results.some((result) => result.callId === callId),
  );
}

function resultOf({ callId, name }: CallbackToken, answer: LateAnswer): ToolResult {
  const of = { callId, name, durationMs: 0 };
  if ('error' in answer)
    return { ...of, outcome: 'error', content: `Error [failed]: ${answer.error}`.toWellFormed() };
  const { result } = answer;
  return typeof result === 'string'
    ? { ...of, outcome: 'ok', content: result.toWellFormed() }
    : { ...of, outcome: 'ok', content: JSON.stringify(result).toWellFormed(), json: true };
}
