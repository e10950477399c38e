import { toSnapshot } from '../../shared/agent/events/snapshot.ts';
import type { SessionView } from '../../shared/agent/ports/sessions.ts';
import { type ChatMessage, toChatMessages } from '../../shared/contract/chat/history.ts';
import type { Interrupt } from '../../shared/contract/events.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { linksTo } from './links-to.ts';
import type { PageContext } from './page-arrivals.ts';
import { readMessages, restOf } from './session-stream.ts';

/** The chat so far, as messages of the AI SDK; empty if the session does not exist. A message that is not yet read stands at its end. */
export async function readHistory(
  key: SessionKey,
  { io, links }: Pick<PageContext, 'io' | 'links'>,
): Promise<ChatMessage[]> {
  const view = await io.sessions.read(key);
  if (!view) return [];
  const unread = (await io.inbox.read(key, view.fence.inbox)).filter(({ control }) => !control);
  const turns = unread.map(({ id: eventId, text, attachments }) => ({ text, eventId, attachments }));
  const messages = [...(await readMessages(view, io)), ...toSnapshot([], turns)];
  const sent = messages.flatMap((message) => ('attachments' in message ? (message.attachments ?? []) : []));
  const seen = sent.filter(({ as }) => as !== 'file');
  return toChatMessages(messages, { waits: waitsIn(view), links: await linksTo(seen, key, links) });
}

/** The waits of a session at rest. */
function waitsIn(view: SessionView): readonly Interrupt[] {
  if (view.dueAt !== undefined) return [];
  const end = restOf(view);
  return end?.type === 'RUN_FINISHED' && end.outcome.type === 'interrupt' ? end.outcome.interrupts : [];
}
