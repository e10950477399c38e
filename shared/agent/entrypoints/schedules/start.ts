/** Starts one tick: its session, and its message. Idempotent, so a tick whose process died is started again with the same effect. */

import type { SessionKey } from '../../../contract/session.ts';
import { callbackDestination } from '../../outbound/callback.ts';
import { hash } from '../../plain/hash.ts';
import { UnusableFacts } from '../../plain/unusable-facts.ts';
import { type Schedule, type Tick, tickIdOf } from '../../schedules/schedule.ts';
import { accept, openSession } from '../accept.ts';
import { acceptAgain } from '../accept-again.ts';
import type { TickContext } from './context.ts';

/** The id of the session that a tick writes to: for a session of the schedule, of the form that `isReservedId` knows. */
export function sessionOf({ key, into }: Schedule, tick: Tick): string {
  const { tenant, id } = key;
  if (typeof into === 'object') return into.sessionId;
  const name = into === 'same' ? `${tenant}:${id}` : `${tenant}:${id}:${tickIdOf(tick)}`;
  return `s${hash(`schedule:${name}`, 24)}`;
}

/** Why a tick cannot be started, as a sentence; undefined if it was. `gone`: none of its ticks can be started again. */
export type Unstarted = { readonly detail: string; readonly gone?: true } | undefined;

/**
 * @param what the message of the tick, and the session that is on record for it: a deploy may have changed where others go
 */
export async function start(
  schedule: Schedule,
  tick: Tick,
  { text, sessionId = '' }: { readonly text: string; readonly sessionId?: string },
  context: TickContext,
): Promise<Unstarted> {
  const { io } = context;
  const { key, into, speaker, name, callbackUrl } = schedule;
  const session = { tenant: key.tenant, sessionId };
  const said = { at: io.clock.now(), ...speaker };
  if (typeof into === 'string') {
    const unopened = await open(schedule, session, said, context);
    if (unopened) return unopened;
    if (callbackUrl !== undefined) await io.outbound.put(session, callbackDestination(callbackUrl));
  }
  const eventId = `tick-${hash(`${key.id} ${tickIdOf(tick)}`)}`;
  const accepted = await accept(
    session,
    {
      ...said,
      eventId,
      text,
      whenFull: 'keep',
      called: { title: name, source: `schedule:${key.id}` },
    },
    io,
  );
  // Its function may return other words the second time: the first ones stand, and may have no wake yet.
  if (accepted === 'conflict') await acceptAgain(session, eventId, io);
  if (accepted === 'unknown_session') return gone(session);
  return undefined;
}

async function open(
  { agent: name, callbackUrl, user, into }: Schedule,
  session: SessionKey,
  first: { readonly at: number },
  { io, agentOf, priceOf }: TickContext,
): Promise<Unstarted> {
  const agent = agentOf(name);
  if (!agent) return { detail: `There is no agent ${name} in this deployment.` };
  try {
    const options = { outbound: callbackUrl !== undefined, user, first };
    const opened = await openSession(session, agent, priceOf, io, options);
    // Its own session may be begun again in two hours.
    if (opened === 'gone') return { detail: `The session ${session.sessionId} was just deleted.` };
    // In a session of its own, a tick was started before a deploy gave the schedule another agent.
    if (opened === 'other_agent' && into !== 'new')
      return { detail: `The session ${session.sessionId} does not belong to the agent ${name}.` };
    return undefined;
  } catch (error) {
    if (error instanceof UnusableFacts) return { detail: error.message };
    throw error;
  }
}

const gone = ({ sessionId }: SessionKey): Unstarted => ({
  detail: `The session ${sessionId} was deleted.`,
  gone: true,
});
