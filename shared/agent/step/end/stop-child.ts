/** Stops a session that works for another one. Loaded with the code that decides to. */

import type { SessionKey } from '../../../contract/session.ts';
import type { Ports } from '../../ports/ports.ts';
import type { SessionView } from '../../ports/sessions.ts';
import { MOST_WRAP_UP_MS, wrapUpAtOf } from '../../session/wrap-up.ts';
import { sendControl } from './send-control.ts';

/**
 * Stops a session whose answer is no longer waited for: at once, or after its summary if it was asked for one before and can write
 * it soon.
 *
 * @param callId the id of the answer to the call ({@link ParentCall.id})
 */
export async function stopChild(
  child: SessionKey,
  callId: string,
  io: Pick<Ports, 'clock' | 'sessions' | 'inbox' | 'queue' | 'listings'>,
): Promise<void> {
  const now = io.clock.now();
  const view = await io.sessions.read(child);
  if (view && (await isSummingUp(view, now, io))) await sendControl(child, 'parent_cancel', callId, {}, io);
  else if ((await io.sessions.cancel(child, now)) === 'cancelled') await io.queue.send(child);
}

/** Whether a run was asked for its summary, and waits for nothing that takes longer than the time that it has for it. */
async function isSummingUp(
  { session, fence, dueAt = 0 }: SessionView,
  now: number,
  { inbox }: Pick<Ports, 'inbox'>,
): Promise<boolean> {
  const { run, batch, key, metadata } = session;
  if (!run || run.ended || fence.cancelGen > session.cancelSeen) return false;
  const soon = now + MOST_WRAP_UP_MS;
  if (dueAt > soon || batch?.waits.some(({ expiresAt }) => expiresAt > soon)) return false;
  const { asked } = (metadata.guardrails.wrap_up ?? {}) as { readonly asked?: boolean };
  if (asked || (wrapUpAtOf(session) ?? Number.POSITIVE_INFINITY) <= now) return true;
  const waiting = fence.inbox.length > 0 ? await inbox.read(key, fence.inbox) : [];
  return waiting.some(
    ({ control, runId, done }) => control === 'wrap_up' && !done && (!runId || runId === run.id),
  );
}
