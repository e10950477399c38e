import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asPosted, brokenRule, isStreamFull } from '../../local/slack/message-rules.ts';

/**
 * The part of Slack's Web API that `emulate` does not have, by its documentation, in memory: posts, updates, and
 * streams. A stream takes appends until it is stopped; while it is open it refuses `chat.update`
 * (`streaming_state_conflict`), afterwards it refuses appends (`message_not_in_streaming_state`).
 */
export interface FakeSlack extends AsyncDisposable {
  /** To be used as `SLACK_API_URL`. */
  readonly url: string;
  /** Every call, in order. */
  readonly calls: readonly Call[];
  /** Messages that are there, oldest first. */
  readonly messages: readonly FakeMessage[];
  /** What a person reads, message by message. */
  texts(): string[];
  /** Answers the next calls of a method otherwise, one after the other. `drop`: done, and the answer is lost. */
  next(method: string, ...answers: Scripted[]): void;
  /** Slack closes a stream by itself. */
  expire(ts: string): void;
  /** A person deletes a message. */
  remove(ts: string): void;
}

export type Scripted = { limited: number } | { error: string } | 'drop' | 'fail' | 'ok';

export interface Call {
  readonly method: string;
  readonly args: Readonly<Record<string, string>>;
}

export interface FakeMessage {
  readonly ts: string;
  readonly channel: string;
  readonly thread?: string;
  readonly user: string;
  text: string;
  /** In which form it was sent. */
  format: 'mrkdwn' | 'markdown';
  blocks?: unknown;
  metadata?: unknown;
  streaming: boolean;
}

export const BOT = 'U0BOT';

export interface FakeSlackOptions {
  readonly streams?: boolean;
  /** What becomes of a call that {@link FakeSlack.next} says nothing of. */
  readonly fault?: (method: string) => Scripted;
}

export async function fakeSlack({ streams = true, fault }: FakeSlackOptions = {}): Promise<FakeSlack> {
  const calls: Call[] = [];
  const messages: FakeMessage[] = [];
  const scripts = new Map<string, Scripted[]>();
  let count = 0;

  const find = (args: Call['args']) =>
    messages.find(({ ts, channel }) => ts === args.ts && channel === args.channel);
  const add = (args: Call['args'], text: string, streaming: boolean) => {
    const ts = `${1_800_000_000 + ++count}.000100`;
    const parsed = (name: string) => (args[name] === undefined ? undefined : JSON.parse(args[name]));
    messages.push({
      ts,
      channel: args.channel ?? '',
      ...(args.thread_ts && { thread: args.thread_ts }),
      user: BOT,
      text,
      format: args.text === undefined ? 'markdown' : 'mrkdwn',
      blocks: parsed('blocks'),
      metadata: parsed('metadata'),
      streaming,
    });
    return { ok: true, channel: args.channel, ts };
  };
  const no = (error: string) => ({ ok: false, error });

  function answer(method: string, args: Call['args']): object {
    const message = find(args);
    const broken = brokenRule(method, args);
    if (broken) return no(broken);
    switch (method) {
      case 'auth.test':
        return { ok: true, user_id: BOT, bot_id: 'B0BOT', team_id: 'T1' };
      case 'chat.postMessage':
        return args.text || args.blocks ? add(args, asPosted(args.text ?? ''), false) : no('no_text');
      case 'chat.update': {
        if (!message) return no('message_not_found');
        if (message.streaming) return no('streaming_state_conflict');
        if (args.text === undefined && args.markdown_text === undefined) return no('no_text');
        message.text = args.markdown_text ?? args.text ?? '';
        message.format = args.markdown_text === undefined ? 'mrkdwn' : 'markdown';
        message.blocks = args.blocks && JSON.parse(args.blocks);
        return { ok: true, ts: message.ts };
      }
      case 'chat.startStream':
        if (!streams) return no('unknown_method');
        if (!args.thread_ts) return no('invalid_thread_ts');
        if (!args.recipient_user_id || !args.recipient_team_id) return no('missing_recipient_user_id');
        return add(args, args.markdown_text ?? '', true);
      case 'chat.appendStream':
      case 'chat.stopStream':
        if (!message) return no('message_not_found');
        if (!message.streaming) return no('message_not_in_streaming_state');
        if (isStreamFull(message.text + (args.markdown_text ?? ''))) return no('msg_too_long');
        message.text += args.markdown_text ?? '';
        if (method === 'chat.stopStream') message.streaming = false;
        return { ok: true, ts: message.ts };
      case 'conversations.replies':
      case 'conversations.history':
        return {
          ok: true,
          messages: messages.filter(({ thread }) => thread === args.ts),
          response_metadata: { next_cursor: '' },
        };
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

  function respond(response: ServerResponse, method: string, args: Call['args']): void {
    const script = scripts.get(method)?.shift() ?? fault?.(method) ?? 'ok';
    if (script === 'fail') return void response.destroy();
    if (typeof script === 'object' && 'limited' in script)
      return void response.writeHead(429, { 'retry-after': String(script.limited) }).end('{"ok":false}');
    const body = typeof script === 'object' ? no(script.error) : answer(method, args);
    if (script === 'drop') return void response.destroy();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const method = request.url?.split('/').at(-1)?.split('?')[0] ?? '';
    const args = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    calls.push({ method, args });
    respond(response, method, args);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    calls,
    messages,
    texts: () => messages.map(({ text }) => text),
    next: (method, ...answers) => void scripts.set(method, [...(scripts.get(method) ?? []), ...answers]),
    expire(ts) {
      for (const message of messages) if (message.ts === ts) message.streaming = false;
    },
    remove(ts) {
      const at = messages.findIndex((message) => message.ts === ts);
      if (at >= 0) messages.splice(at, 1);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
