import { runIdOf } from '../../shared/agent/session/run-ids.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { log } from '../../shared/logger.ts';
import { byOf } from '../../shared/slack/asks.ts';
import type { Person } from '../../shared/slack/person.ts';
import { readRating } from '../../shared/slack/rating.ts';
import type { SlackContext } from './context.ts';

/**
 * Stores a person's rating of an answer, in place of their earlier one: Slack reports each click. Slack shows
 * the buttons only to people who can read the thread. `gone` if the session was deleted.
 *
 * @param at epoch ms of the click
 */
export async function rate(
  key: SessionKey,
  value: string,
  { user, userTeam }: Person,
  at: number,
  { io, feedback }: Pick<SlackContext, 'io' | 'feedback'>,
): Promise<'rated' | 'gone' | 'unreadable'> {
  const read = readRating(value);
  // Only a forged value names a run of another session.
  if (!read?.runId.startsWith(`${key.sessionId}-`)) return 'unreadable';
  if (!(await io.sessions.read(key))) return 'gone';
  const { rating, runId } = read;
  await feedback.put(key, { runId: runIdOf(runId), by: byOf(userTeam, user), rating, at });
  log('info', 'an answer was rated', { ...key, runId: runIdOf(runId), rating });
  return 'rated';
}
