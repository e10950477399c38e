import type { Answer } from '../../shared/slack/api.ts';
import { earlierText } from '../../shared/slack/earlier.ts';
import type { SlackMessage } from '../../shared/slack/inbound.ts';
import type { Installation } from '../../shared/slack/store.ts';
import type { SlackContext } from './context.ts';

/** How often Slack may ask to wait before a message goes without its thread: an answer matters more. */
const PATIENCE = 2;

/** The part of a thread before a message, as far as it is known. */
export interface ThreadBefore {
  /** The author of its first message, if known. */
  readonly parent?: string;
  /** For the model: what was said, or why it is not known. Empty if nothing was said. */
  readonly text: string;
  /** Whether `text` contains any of the thread. */
  readonly isRead: boolean;
}

/** Reads a thread before the first message in it that is for the bot. `tries`: how often Slack was asked. */
export async function threadBefore(
  { place, ts, parent }: Pick<SlackMessage, 'place' | 'ts' | 'parent'>,
  tries: number,
  installation: Installation,
  context: SlackContext,
): Promise<Answer<ThreadBefore>> {
  const { channel, thread = ts } = place;
  const api = await context.apiOf(installation);
  const answer = await api.replies(channel, thread, ts);
  if (answer.kind === 'ok') {
    const { messages, more, total } = answer.value;
    const text = earlierText(messages, installation.botUser, more, total);
    const first = messages.find((one) => one.ts === thread)?.user ?? parent;
    return { kind: 'ok', value: { text, isRead: text !== '', ...(first && { parent: first }) } };
  }
  if (answer.kind !== 'refused' && tries < PATIENCE) return answer;
  const why = answer.kind === 'limited' ? 'Slack asks to wait' : answer.error;
  const text = `[There is a thread before this message, which could not be read: ${why}. Say so if you need it.]`;
  return { kind: 'ok', value: { text, isRead: false, ...(parent && { parent }) } };
}
