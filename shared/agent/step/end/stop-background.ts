/** Stops sessions that work in the background. Loaded by the first session in a process that has some and is cancelled. */

import { allEnded } from '../../plain/all-ended.ts';
import type { Ports } from '../../ports/ports.ts';
import type { BackgroundChild } from '../../session/parent.ts';
import type { Session } from '../../session/session.ts';
import type { ToolResult } from '../../session/slots.ts';
import { stopChild } from './stop-child.ts';

/**
 * Stops all sessions that work for one in the background. The outcome of each call is settled first: a session that has ended
 * before still reports, one that ends after that reports quietly, and one that begins after that ends at its first step. Each
 * report takes its session off the list, so this may be repeated until there are none.
 */
export const stopBackground = async (
  { key, background = [] }: Session,
  io: Pick<Ports, 'clock' | 'sessions' | 'later' | 'inbox' | 'queue' | 'listings'>,
): Promise<void> => {
  await allEnded(
    background.map(async (one) => {
      const { stands } = await io.later.settle(key, one.id, { result: stopped(one) });
      if (stands.digest !== undefined) return;
      await stopChild({ tenant: key.tenant, sessionId: one.sessionId }, one.id, io);
    }),
  );
};

const stopped = ({ callId, name }: BackgroundChild): ToolResult => ({
  ...{ callId, name, outcome: 'cancelled', durationMs: 0 },
  content: 'Error [cancelled]: it was stopped with the session that it worked for.',
});
