import { cancelRun } from '../../shared/agent/entrypoints/accept.ts';
import { begunBy } from '../../shared/agent/entrypoints/begun-by.ts';
import { goingRunId } from '../../shared/agent/session/run-ids.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { byOf } from '../../shared/slack/asks.ts';
import { inboxIdOf, type SlackMessage } from '../../shared/slack/inbound.ts';
import type { Person } from '../../shared/slack/person.ts';
import { isGoing, stopText } from '../../shared/slack/words.ts';
import type { SlackContext } from './context.ts';
import { say } from './say.ts';
import type { Home } from './where.ts';

/** Stops one run for a person. People of another organisation can stop only what they began. */
export async function stopRun(
  key: SessionKey,
  runId: string,
  { user, userTeam, external }: Person,
  io: SlackContext['io'],
): Promise<Awaited<ReturnType<typeof cancelRun>> | 'not_theirs'> {
  const isTheirs = !external || (await begunBy(key, io)) === byOf(userTeam, user);
  return isTheirs ? cancelRun(key, runId, io) : 'not_theirs';
}

/** The answers for a user whose Stop stopped nothing. */
export const notStopped = {
  idle: 'There is nothing to stop: this run is over.',
  another_run:
    'There is nothing to stop: this run is over, and another one has begun. Its own message has a Stop button.',
  unknown: 'There is nothing to stop here.',
  not_theirs: 'People of other organisations can stop only what they began themselves.',
} as const;

/**
 * A user has said "stop": the current or waiting run stops, and the user learns which one it was. Slack may repeat the message
 * minutes later, when another run is going, so the run that is meant is stored before it is stopped, and does not change.
 */
export async function stopByWord(message: SlackMessage, home: Home, context: SlackContext): Promise<void> {
  const { io, store } = context;
  const { view, key } = home;
  const meant = {
    ...(view && isGoing(view) && { runId: goingRunId(view.session) }),
    text: stopText(view, io.clock.now()),
  };
  const name = `stop/${inboxIdOf(message)}`;
  const { value, isNew } = await store.once(message.place.team, name, JSON.stringify(meant));
  const { runId, text } = JSON.parse(value) as typeof meant;
  const result = runId === undefined ? 'cancelled' : await stopRun(key, runId, message, io);
  const refused = result === 'not_theirs' || (isNew && result !== 'cancelled');
  await say(message, 'stop', refused ? notStopped[result] : text, context);
}
