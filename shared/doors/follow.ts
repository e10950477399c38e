import { setTimeout as pause } from 'node:timers/promises';
import type { AgUiEvent } from '../contract/events.ts';
import type { State } from '../contract/session.ts';
import type { Api, SessionNow } from './api.ts';

/** Polling interval in ms. Events are in the log within a second. */
const LOOK_MS = 1_000;

/**
 * States in which the run continues by itself, so another event will come. A due session is `running`; `idle` is a session that
 * has had no run here.
 */
const goesOn: readonly State[] = ['running', 'waiting_for_tool'];

/**
 * Reports the events of a session after a cursor, until its run has ended or waits for people.
 *
 * It polls the log instead of using a WebSocket, which Node 20 does not have.
 *
 * @param signal ends it: it rejects with the signal's reason, or an AbortError
 * @returns the session at that moment
 */
export async function follow(
  client: Pick<Api, 'events' | 'session'>,
  sessionId: string,
  from: number,
  tell: (event: AgUiEvent) => void,
  signal?: AbortSignal,
): Promise<SessionNow> {
  let after = from;
  for (;;) {
    signal?.throwIfAborted();
    const { frames, next } = await client.events(sessionId, after);
    for (const { event } of frames) tell(event);
    after = Math.max(after, next);
    if (frames.length > 0) continue;
    const session = await client.session(sessionId);
    if (session.cursor <= after && !goesOn.includes(session.state)) return session;
    if (session.cursor <= after) await pause(LOOK_MS, undefined, { signal });
  }
}
