import { canonicalJson, hash } from '../plain/hash.ts';
import type { CallbackToken, Settled } from '../ports/callbacks.ts';
import type { Ports } from '../ports/ports.ts';
import type { ToolResult } from '../session/slots.ts';
import { wakeFor } from '../session/wake.ts';
import { hashOfToken, unanswered } from '../tools/lazy/later.ts';

/** What comes from outside for a call: what it has come to, or why it has failed. */
export type LateAnswer = { readonly result: unknown } | { readonly error: string };

/** What became of an answer. */
export type AnswerResult =
  /** It counts. */
  | 'taken'
  /** The same answer counted before. */
  | 'taken_before'
  /** The call has another answer. */
  | 'answered'
  /** Its time is over. */
  | 'expired'
  /** Nobody waits for it: the run was stopped, the call came to something else, or its session is gone. */
  | 'over'
  /** There is no such token. */
  | 'unknown';

export type AnswerPorts = Pick<Ports, 'clock' | 'sessions' | 'queue' | 'later'>;

/**
 * Answers a call in the name of whoever holds a token of it. Counts once: of several answers the first one stands, and the
 * same again is told so. Resolves when it is durable, and, where the call is waited for by now, a wake is on the queue.
 *
 * The answer is kept first, then its wait is looked for. A step that opens the wait looks for the answer after that. So one of
 * them sees the other, whichever is first; and where an answer and the end of its wait meet, `settle` says which one it is.
 */
export async function answerCall(token: string, answer: LateAnswer, io: AnswerPorts): Promise<AnswerResult> {
  const grant = await io.later.granted(hashOfToken(token));
  return grant ? answerGranted(grant, answer, io) : 'unknown';
}

/** As {@link answerCall}, for whoever is known to hold a token. */
export async function answerGranted(
  grant: CallbackToken,
  answer: LateAnswer,
  io: AnswerPorts,
): Promise<Exclude<AnswerResult, 'unknown'>> {
  const { clock, sessions, later, queue } = io;
  const { id, slot } = grant;
  const digest = hash(canonicalJson(answer));
  const key = { tenant: grant.tenant, sessionId: grant.sessionId };
  if (grant.expiresAt <= clock.now()) {
    const stands = await endOf(grant, io);
    return stands?.digest === digest ? 'taken_before' : 'expired';
  }
  const { stands, first } = await later.settle(key, id, { result: resultOf(grant, answer), digest });
  if (stands.digest !== digest) return stands.digest === undefined ? 'over' : 'answered';

  const view = await sessions.read(key);
  const isWaited = view?.session.batch?.waits.some((wait) => wait.id === id) ?? false;
  if (view && isWaited) {
    if (view.fence.pending.includes(id)) await later.resolve(key, id, clock.now());
    // Dedup the effect, never the wake: whoever has taken it out before may have died then.
    await queue.send(wakeFor(view.session));
  }
  if (!first) return 'taken_before';
  // The batch of its reply is in the slot after it. A step may have closed it with this answer since that was kept.
  const isClosed = view && view.session.version > slot + 1 && !isWaited;
  return view && (!isClosed || (await hasResult(grant, io))) ? 'taken' : 'over';
}

/**
 * What stands of a call whose time is over. Of one that is waited for, that nobody has answered: a copy of the answer that is still on its
 * way does not count then either. One that still runs comes to a result of its own.
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

/** Whether the batch has a result of the call. Whatever closes it settles the call first, so it is the one that stands. */
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
