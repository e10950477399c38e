/** People write, edit and delete messages, and share files. */

import type { SlackMessage } from './caller.ts';
import type { EmulatedSlack, SentMessage } from './emulated-slack.ts';
import type { Events } from './events.ts';
import { asItIsNow, withThreads } from './threads.ts';
import { botUser, type Workspace } from './workspace.ts';

export function writingIn(
  { as, users, channel }: Workspace,
  { announce, sendEvent, envelope }: Events,
): Pick<EmulatedSlack, 'say' | 'tell' | 'edit' | 'unsay' | 'share' | 'read'> {
  let edits = 0;
  const write = async (user: string, where: string, text: string, thread?: string): Promise<SentMessage> => {
    const args = { channel: where, text, ...(thread && { thread_ts: thread }) };
    const { message, channel: written } = await as(user).call<{ message: SlackMessage; channel: string }>(
      'chat.postMessage',
      args,
    );
    return announce(message, written);
  };

  return {
    say: (user, text, thread) => write(user, channel, text, thread),
    tell: (user, text, thread) => write(user, botUser, text, thread),
    async edit(user, { channel: where, ts, events }, text) {
      await as(user).call('chat.update', { channel: where, ts, text });
      const [first] = events as { event: SlackMessage }[];
      const edited = { user: users[user], ts: (Number(ts) + ++edits).toFixed(6) };
      if (!first) throw new Error('only what was told of is edited');
      const told = await asItIsNow(first.event, where, as(user));
      const now = { ...told, type: 'message', text, edited };
      const event = where.startsWith('D')
        ? {
            type: 'message',
            subtype: 'message_changed',
            hidden: true,
            channel: where,
            channel_type: 'im',
            ts: edited.ts,
            event_ts: edited.ts,
            message: now,
            previous_message: first.event,
          }
        : { ...now, type: 'app_mention' };
      return text.includes(`<@${botUser}>`) || where.startsWith('D')
        ? [await sendEvent(envelope(event))]
        : [];
    },
    async unsay(user, { channel: where, ts, events }) {
      await as(user).call('chat.delete', { channel: where, ts });
      const [first] = events as { event: SlackMessage }[];
      if (!first || !where.startsWith('D')) return [];
      const at = (Number(ts) + ++edits).toFixed(6);
      const event = {
        type: 'message',
        subtype: 'message_deleted',
        hidden: true,
        channel: where,
        channel_type: 'im',
        ts: at,
        event_ts: at,
        deleted_ts: ts,
        previous_message: first.event,
      };
      return [await sendEvent(envelope(event))];
    },
    async share(user, text, { name, content }) {
      const caller = as(user);
      const { upload_url, file_id } = await caller.call<{ upload_url: string; file_id: string }>(
        'files.getUploadURLExternal',
        { filename: name, length: String(Buffer.byteLength(content)) },
      );
      await fetch(upload_url, {
        method: 'POST',
        body: content,
        headers: { 'content-type': 'application/octet-stream' },
      });
      await caller.call('files.completeUploadExternal', {
        files: JSON.stringify([{ id: file_id, title: name }]),
        channel_id: channel,
        initial_comment: text,
      });
      const { messages } = await caller.call<{ messages: SlackMessage[] }>('conversations.history', {
        channel,
        limit: '1',
      });
      const [message] = messages;
      if (!message) throw new Error('the emulated Slack lost a file');
      return announce(message, channel);
    },
    async read(where, thread, reader = 'ada') {
      const method = thread ? 'conversations.replies' : 'conversations.history';
      const { messages } = await as(reader).call<{ messages: SlackMessage[] }>(method, {
        channel: where,
        ...(thread && { ts: thread }),
        include_all_metadata: 'true',
      });
      return withThreads(thread ? messages : messages.toReversed());
    },
  };
}
