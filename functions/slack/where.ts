import { defined } from '../../shared/agent/plain/defined.ts';
import type { SessionView } from '../../shared/agent/ports/sessions.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { SlackMessage } from '../../shared/slack/inbound.ts';
import type { SlackPlace } from '../../shared/slack/place.ts';
import type { Installation } from '../../shared/slack/store.ts';
import { keyOf } from './begin.ts';
import type { SlackContext } from './context.ts';

/** The session that a message is for. */
export interface Home {
  /** Where it lives, which is not always where the message stands. */
  readonly place: SlackPlace;
  readonly key: SessionKey;
  /** Undefined while it does not exist. */
  readonly view?: SessionView;
}

/**
 * Finds the session of a message. A thread has its own. In direct messages, a thread without a session that starts at one of the
 * bot's messages belongs to the session that wrote that message, the one at the top level: a reply to a question is for the
 * session that asked it.
 */
export async function homeOf(
  { place, kind, parent }: Pick<SlackMessage, 'place' | 'kind' | 'parent'>,
  installation: Installation,
  context: SlackContext,
): Promise<Home> {
  const home = await sessionAt(place, installation, context);
  const isReplyToUs = kind === 'direct' && place.thread !== undefined && parent === installation.botUser;
  if (!isReplyToUs || !isNew(home) || (await isPane(place, context))) return home;
  return sessionAt(topOf(place), installation, context);
}

/** Whether the thread is a conversation of the assistant's pane, which begins with a message of the bot. */
export const isPane = async (
  { thread, ...place }: SlackPlace,
  { store, config }: SlackContext,
): Promise<boolean> =>
  config.assistant !== undefined &&
  thread !== undefined &&
  (await store.linkedTo({ ...place, thread })) !== undefined;

/** The session at a place, whether or not it has messages. */
export async function sessionAt(
  place: SlackPlace,
  installation: Installation,
  context: SlackContext,
): Promise<Home> {
  const key = await keyOf(installation, place, context);
  const view = await context.io.sessions.read(key);
  return { place, key, ...defined({ view }) };
}

/** Whether it has no messages yet. */
export const isNew = ({ view }: Home): boolean =>
  !view || (view.session.version === 0 && view.fence.inbox.length === 0);

/** The top level of the direct messages that a thread is in. */
export const topOf = ({ thread: _, ...place }: SlackPlace): SlackPlace => place;
