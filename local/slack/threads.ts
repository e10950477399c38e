/** What Slack says about threads and the emulator does not: `thread_ts` on messages that have replies, and their authors. */

import type { SlackCaller, SlackMessage } from './caller.ts';

/** Methods that answer with messages. */
export const tellsOfThreads = (method: string): boolean =>
  method === 'conversations.replies' || method === 'conversations.history';

/**
 * Messages as Slack tells them: one that has replies has a `thread_ts`, its own `ts`, as if it stood in a thread; a
 * reply says who wrote the message that it hangs on, when that one is among them.
 */
export const withThreads = (messages: readonly SlackMessage[]): SlackMessage[] =>
  messages.map((message) => {
    const { ts, thread_ts, reply_count = 0 } = message;
    if (thread_ts === undefined) return reply_count > 0 ? { ...message, thread_ts: ts } : message;
    const parent = messages.find((one) => one.ts === thread_ts);
    return parent && thread_ts !== ts ? { ...message, parent_user_id: parent.user } : message;
  });

/** A message as it is now, for a click or an event about it: others have replied, or it hangs on somebody's. */
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
