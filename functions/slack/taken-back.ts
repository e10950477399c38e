import { accept } from '../../shared/agent/entrypoints/accept.ts';
import { saidBy } from '../../shared/slack/asks.ts';
import {
  atOf,
  type DeletedMessage,
  deletionIdOf,
  inboxIdOf,
  type SlackMessage,
  toDeletionPrompt,
} from '../../shared/slack/inbound.ts';
import type { Installation } from '../../shared/slack/store.ts';
import { isGoing } from '../../shared/slack/words.ts';
import { Refusal } from '../middleware/problem.ts';
import type { SlackContext } from './context.ts';
import { homeOf } from './where.ts';

/** Time in ms after which a message may have been deleted before it is given to its session: Slack repeated it, or a job waited. */
const LATE_MS = 10_000;

const nameOf = (message: Pick<SlackMessage, 'place' | 'ts'>) => `given/${inboxIdOf(message)}`;

/**
 * Whether a message that is about to be given to its session was deleted meanwhile. A message that Slack has just sent is not
 * looked up.
 */
export async function isTakenBack(
  message: Pick<SlackMessage, 'place' | 'ts'>,
  { store, io }: SlackContext,
): Promise<boolean> {
  if (io.clock.now() - Number(message.ts) * 1_000 < LATE_MS) return false;
  const { value } = await store.once(message.place.team, nameOf(message), 'given');
  return value === 'deleted';
}

/**
 * A message was deleted. If no step has read it, its session never does; otherwise the model is told, during a run. A message that
 * its session does not have yet is not given to it. Throws if Slack should send the event again.
 */
export async function takeBack(
  deleted: DeletedMessage,
  installation: Installation,
  context: SlackContext,
): Promise<void> {
  const { io, store, profileOf } = context;
  const { key, view } = await homeOf(deleted, installation, context);
  const id = inboxIdOf(deleted);
  const [known] = view ? await io.inbox.read(key, [id]) : [];
  if (!view || !known) {
    const { value } = await store.once(deleted.place.team, nameOf(deleted), 'deleted');
    const isOnItsWay = value === 'given' && io.clock.now() - Number(deleted.ts) * 1_000 < ON_ITS_WAY_MS;
    if (isOnItsWay)
      throw new Refusal(503, 'Not yet', { detail: 'The message is on its way to its session.' });
    return;
  }
  if (!isGoing(view) && !view.fence.inbox.includes(id)) return;
  const { user, userTeam } = deleted;
  const change = {
    eventId: deletionIdOf(deleted),
    text: toDeletionPrompt(deleted, deleted.ts),
    withdraws: id,
    at: atOf(deleted.at),
    ...saidBy(userTeam, user, await profileOf(installation, user)),
  };
  await accept(key, { ...change, whenFull: 'keep' }, io);
}

/** Time in ms in which a message that was let through reaches its session, with all tries of a job. */
const ON_ITS_WAY_MS = 600_000;
