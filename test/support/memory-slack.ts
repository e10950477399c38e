import { asPosted, brokenRule, isStreamFull } from '../../local/slack/emulated/message-rules.ts';
import { type StreamedChunk, StreamedPlan } from '../../local/slack/emulated/stream-rules.ts';
import { defined } from '../../shared/agent/plain/defined.ts';

/**
 * Messages of a workspace in memory, following the documentation of Slack's Web API. A stream takes appends until it is
 * stopped. While it is open it refuses `chat.update` (`streaming_state_conflict`); afterwards it refuses appends
 * (`message_not_in_streaming_state`).
 */
export interface MemorySlack {
  /** Current messages, oldest first. */
  readonly messages: readonly FakeMessage[];
  /** Answers a call. */
  answer(method: string, args: SlackArgs): object;
  /** Bytes of a file; false if Slack does not take them. */
  upload(id: string, bytes: Uint8Array): boolean;
  /** Slack closes a stream by itself. */
  expire(ts: string): void;
  /** A person deletes a message. */
  remove(ts: string): void;
}

export type SlackArgs = Readonly<Record<string, string>>;

export interface FakeMessage {
  readonly ts: string;
  readonly channel: string;
  readonly thread?: string;
  readonly user: string;
  text: string;
  /** The format in which it was sent. */
  format: 'mrkdwn' | 'markdown';
  blocks?: unknown;
  metadata?: unknown;
  streaming: boolean;
  files?: readonly FakeFile[];
  /** Its task cards, as people see them. */
  plan?: StreamedPlan;
}

/** A file of the app. People see it once it is completed. */
export interface FakeFile {
  readonly id: string;
  readonly name: string;
  readonly length: number;
  bytes?: Uint8Array;
  title?: string;
  sharedIn?: string;
}

/** The plan among the blocks of a message. */
function planIn(blocks: unknown): StreamedPlan | undefined {
  const found = (Array.isArray(blocks) ? blocks : []).find(({ type }) => type === 'plan');
  if (!found) return undefined;
  const plan = new StreamedPlan();
  plan.take([
    { type: 'plan_update', title: found.title },
    ...found.tasks.map((task: { task_id: string }) => ({ ...task, type: 'task_update', id: task.task_id })),
  ] satisfies StreamedChunk[]);
  return plan;
}

export const BOT = 'U0BOT';

export interface MemorySlackOptions {
  /** Whether a channel supports streams. */
  readonly streams?: (channel: string) => boolean;
  /** Base URL for uploads. */
  readonly uploads?: () => string;
  /** The second in a new message's `ts`, if there is a clock. */
  readonly second?: () => number | undefined;
}

export function memorySlack({
  streams = () => true,
  uploads = () => 'https://files.slack.com',
  second,
}: MemorySlackOptions = {}): MemorySlack {
  const messages: FakeMessage[] = [];
  const files = new Map<string, FakeFile>();
  let count = 0;
  const find = (args: SlackArgs) =>
    messages.find(({ ts, channel }) => ts === args.ts && channel === args.channel);
  const add = (args: SlackArgs, text: string, streaming: boolean) => {
    count += 1;
    const ts = `${second?.() ?? 1_800_000_000 + count}.${String(count).padStart(6, '0')}`;
    const parsed = (name: string) => (args[name] === undefined ? undefined : JSON.parse(args[name]));
    messages.push({
      ts,
      channel: args.channel ?? '',
      ...(args.thread_ts && { thread: args.thread_ts }),
      user: BOT,
      text,
      format: streaming || markdownOf(args) !== undefined ? 'markdown' : 'mrkdwn',
      blocks: parsed('blocks'),
      ...defined({ plan: planIn(parsed('blocks')) }),
      metadata: parsed('metadata'),
      streaming,
    });
    return { ok: true, channel: args.channel, ts };
  };
  /** People see the blocks of a message instead of its text. */
  const markdownOf = (args: SlackArgs): string | undefined => {
    const blocks: { type: string; text?: string }[] = JSON.parse(args.blocks ?? '[]');
    return args.markdown_text ?? blocks.find(({ type }) => type === 'markdown')?.text;
  };
  const no = (error: string) => ({ ok: false, error });

  /** A stream has either text or chunks (NousResearch/hermes-agent#104173). */
  function streamed(message: FakeMessage | undefined, args: SlackArgs, goesOn: boolean): object {
    const { chunks, markdown_text: markdown, blocks } = args;
    if (!message) return no('message_not_found');
    if (chunks ? message.text !== '' : markdown && message.plan) return no('streaming_mode_mismatch');
    if (chunks) {
      message.plan ??= new StreamedPlan();
      message.plan.take(JSON.parse(chunks));
    }
    message.text += markdown ?? '';
    message.streaming = goesOn;
    if (blocks) message.blocks = JSON.parse(blocks);
    return { ok: true, channel: message.channel, ts: message.ts };
  }

  /** docs.slack.dev, files.completeUploadExternal. A file is completed once. */
  function complete(args: SlackArgs): object {
    const asked: { id: string; title?: string }[] = JSON.parse(args.files ?? '[]');
    const found = asked.map(({ id }) => files.get(id));
    if (found.length === 0 || found.some((file) => !file?.bytes || file.sharedIn))
      return no('file_not_found');
    const shared = found.flatMap((file, i) => {
      if (!file) return [];
      file.sharedIn = args.channel_id ?? '';
      file.title = asked[i]?.title ?? file.name;
      return [file];
    });
    add({ ...args, channel: args.channel_id ?? '' }, '', false);
    const message = messages.at(-1);
    if (message) message.files = shared;
    return { ok: true, files: shared.map(({ id, title }) => ({ id, title })) };
  }

  function answer(method: string, args: SlackArgs): object {
    const message = find(args);
    const broken = brokenRule(method, args);
    if (broken) return no(broken);
    switch (method) {
      case 'auth.test':
        return { ok: true, user_id: BOT, bot_id: 'B0BOT', team: 'Acme', team_id: 'T1' };
      case 'chat.postMessage':
        return add(args, markdownOf(args) ?? asPosted(args.text ?? ''), false);
      case 'chat.update': {
        if (!message) return no('message_not_found');
        if (message.streaming) return no('streaming_state_conflict');
        message.text = markdownOf(args) ?? args.text ?? '';
        message.format = markdownOf(args) === undefined ? 'mrkdwn' : 'markdown';
        message.blocks = args.blocks && JSON.parse(args.blocks);
        message.plan = planIn(message.blocks);
        return { ok: true, ts: message.ts };
      }
      case 'chat.startStream':
        if (!streams(args.channel ?? '')) return no('unknown_method');
        if (!args.thread_ts) return no('invalid_thread_ts');
        if (!args.recipient_user_id || !args.recipient_team_id) return no('missing_recipient_user_id');
        add(args, '', true);
        return streamed(messages.at(-1), args, true);
      case 'chat.appendStream':
      case 'chat.stopStream':
        if (!message) return no('message_not_found');
        if (!message.streaming) return no('message_not_in_streaming_state');
        if (isStreamFull(message.text + (args.markdown_text ?? ''))) return no('msg_too_long');
        if (method === 'chat.appendStream' && !args.chunks && !args.markdown_text) return no('no_text');
        return streamed(message, args, method === 'chat.appendStream');
      case 'conversations.replies':
      case 'conversations.history':
        return {
          ok: true,
          messages: messages.filter(({ thread, channel }) => thread === args.ts && channel === args.channel),
          response_metadata: { next_cursor: '' },
        };
      case 'files.getUploadURLExternal': {
        // docs.slack.dev, files.getUploadURLExternal: "missing_argument" for a length of 0.
        const length = Number(args.length);
        if (!args.filename || !(length > 0)) return no('missing_argument');
        const id = `F${files.size + 1}`;
        files.set(id, { id, name: args.filename, length });
        return { ok: true, upload_url: `${uploads()}/upload/v1/${id}`, file_id: id };
      }
      case 'files.completeUploadExternal':
        return complete(args);
      case 'files.info': {
        const { sharedIn } = files.get(args.file ?? '') ?? {};
        return sharedIn
          ? { ok: true, file: { shares: { public: { [sharedIn]: [{}] } } } }
          : no('file_not_found');
      }
      case 'views.open':
      case 'views.publish':
        return { ok: true, view: {} };
      case 'chat.postEphemeral':
        return { ok: true, message_ts: '1.1' };
      case 'conversations.open':
        return { ok: true, channel: { id: 'D0DIRECT' } };
      default:
        return no('unknown_method');
    }
  }

  return {
    messages,
    answer,
    upload(id, bytes) {
      const file = files.get(id);
      if (!file || file.length !== bytes.length) return false;
      file.bytes = bytes;
      return true;
    },
    expire(ts) {
      for (const message of messages) if (message.ts === ts) message.streaming = false;
    },
    remove(ts) {
      const at = messages.findIndex((message) => message.ts === ts);
      if (at >= 0) messages.splice(at, 1);
    },
  };
}
