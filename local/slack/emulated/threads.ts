/**
 * Adds thread data that Slack sends and the emulator does not: `thread_ts` on messages that have replies, and the authors of
 * those messages.
 */

import type { SlackCaller, SlackMessage } from './caller.ts';

/** Methods that return messages. */
export const tellsOfThreads = (method: string): boolean =>
  method === 'conversations.replies' || method === 'conversations.history';

/**
 * Messages in Slack's form: a message with replies has its own `ts` as `thread_ts`; a reply names the author of its parent, if
 * the parent is among them.
 */
export const withThreads = (messages: readonly SlackMessage[]): SlackMessage[] =>
  messages.map((message) => {
    const { ts, thread_ts, reply_count = 0 } = message;
    if (thread_ts === undefined) return reply_count > 0 ? { ...message, thread_ts: ts } : message;
    const parent = messages.find((one) => one.ts === thread_ts);
    return parent && thread_ts !== ts ? { ...message, parent_user_id: parent.user } : message;
  });

/** The current version of a message, for a click or an event about it: it may have replies, or be one. */
export async function asItIsNow(
  message: SlackMessage,
  channel: string,
  caller: SlackCaller,
): Promise<SlackMessage> {
  const { messages } = await caller.call<{ messages: SlackMessage[] }>('conversations.replies', {
    channel,
    ts: message.thread_ts ?? message.ts,
  });
  const { thread_ts, parent_user_id, reply_count } =
    withThreads(messages).find(({ ts }) => ts === message.ts) ?? message;
  return {
    ...message,
    ...(thread_ts && { thread_ts }),
    ...(parent_user_id && { parent_user_id }),
    ...(reply_count && { reply_count }),
  };
}
