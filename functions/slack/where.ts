import type { SessionView } from '../../shared/agent/ports.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { SlackMessage } from '../../shared/slack/inbound.ts';
import type { Place } from '../../shared/slack/place.ts';
import type { Installation } from '../../shared/slack/store.ts';
import { keyOf } from './begin.ts';
import type { SlackContext } from './context.ts';

/** The session that a message is for. */
export interface Home {
  /** Where it lives, which is not always where the message stands. */
  readonly place: Place;
  readonly key: SessionKey;
  /** Absent while there is none. */
  readonly view?: SessionView;
}

/**
 * Looks for the session of a message. A thread's is its own. In direct messages a thread that has none, and that hangs
 * on a message of ours, belongs to the session that wrote that message, the one of the top level: whoever replies to a
 * question means whom has asked it.
 */
export async function homeOf(
  { place, kind, parent }: Pick<SlackMessage, 'place' | 'kind' | 'parent'>,
  installation: Installation,
  context: SlackContext,
): Promise<Home> {
  const home = await sessionAt(place, installation, context);
  const isReplyToUs = kind === 'direct' && place.thread !== undefined && parent === installation.botUser;
  return isReplyToUs && isNew(home) ? sessionAt(topOf(place), installation, context) : home;
}

/** The session at a place, whether somebody has spoken in it or not. */
export async function sessionAt(
  place: Place,
  installation: Installation,
  { io }: SlackContext,
): Promise<Home> {
  const key = await keyOf(installation, place);
  const view = await io.sessions.read(key);
  return { place, key, ...(view && { view }) };
}

/** Whether nobody has said anything in it yet. */
export const isNew = ({ view }: Home): boolean =>
  !view || (view.session.version === 0 && view.fence.inbox.length === 0);

/** The top level of the direct messages that a thread is in. */
export const topOf = ({ thread: _, ...place }: Place): Place => place;
