import type { CallProgress } from '../../contract/events.ts';
import { frameBeside, tellBeside } from '../events/beside.ts';
import { defined } from '../plain/defined.ts';
import type { Ports } from '../ports/ports.ts';
import { hashOfToken, withoutTokens } from '../tools/deferred-results.ts';
import type { AnswerResult } from './answer.ts';

/** The outcome of a report on the progress of a call. */
export type ToldResult =
  /** It was accepted. Current subscribers of the session have been told, if the call is already waited for. */
  | 'told'
  /** The previous report came less than a second ago. */
  | 'too_soon'
  /** The token has no reports left. */
  | 'too_many'
  /** As for an answer: the call is no longer waited for. */
  | Exclude<AnswerResult, 'taken' | 'taken_before'>;

export type TellPorts = Pick<Ports, 'clock' | 'sessions' | 'later' | 'log' | 'sockets'>;

/**
 * Tells subscribers of a session the progress of a call that is answered later, in the name of the holder of its token. Changes
 * nothing in the session, and does not use the token up. Nothing is stored for a call that is not waited for yet, because its
 * step reports for itself.
 */
export async function tellOfCall(
  token: string,
  { message, share }: Omit<CallProgress, 'toolCallId'>,
  io: TellPorts,
): Promise<ToldResult> {
  const { clock, later, sessions } = io;
  const tokenHash = hashOfToken(token);
  const grant = await later.granted(tokenHash);
  if (!grant) return 'unknown';
  const { tenant, sessionId, id, callId: toolCallId, expiresAt } = grant;
  const key = { tenant, sessionId };
  const [settled, view] = await Promise.all([later.settled(key, [id]), sessions.read(key)]);
  const stands = settled[id];
  if (stands) return stands.digest === undefined ? 'over' : 'answered';
  if (expiresAt <= clock.now()) return 'expired';
  if (!view || view.fence.cancelGen > view.session.cancelSeen) return 'over';
  const may = await later.countTold(tokenHash, clock.now());
  if (may !== 'may') return may;
  if (view.session.batch?.waits.some((wait) => wait.id === id)) {
    const said = withoutTokens(message, { tokens: [token] }).toWellFormed();
    const value = { toolCallId, message: said, ...defined({ share }) };
    const frame = frameBeside(view.session, value, clock.now());
    if (frame) await tellBeside(key, view.fence.subscribers, frame, io);
  }
  return 'told';
}
