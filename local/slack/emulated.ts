/**
 * An emulated Slack: `emulate`'s workspace behind a front door of our own. The door forwards calls of the Web API, adds features
 * that the emulator lacks (streams, clicks, slash commands), and sends the app the signed events that Slack would send, in the
 * shapes that Slack documents. (The emulator signs events too, but has no public way to set their target.)
 */

import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmulator } from 'emulate';
import { callerOf, type SlackCaller, type SlackElement, type SlackMessage } from './caller.ts';
import { menusOf } from './menus.ts';
import { asPosted, brokenRule, isStreamFull } from './message-rules.ts';
import { asItIsNow, tellsOfThreads, withThreads } from './threads.ts';

export interface EmulatedSlack {
  /** Base URL of its Web API, for `SLACK_API_URL`. */
  readonly apiUrl: string;
  readonly team: string;
  readonly botUser: string;
  readonly signingSecret: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Ids by name. */
  readonly users: Readonly<Record<string, string>>;
  readonly channel: string;
  /** The app's address: `http://…` without a path. Events go there from now on. */
  connect(appUrl: string): void;
  /** A person consents to the installation: the second half of the flow that `installUrl` begins. */
  consent(installUrl: string, user: string): Promise<{ status: number; text: string }>;
  /** A person writes. Resolves when the app has been notified, with its answers. */
  say(user: string, text: string, thread?: string): Promise<SentMessage>;
  /** A person writes a direct message to the bot. */
  tell(user: string, text: string, thread?: string): Promise<SentMessage>;
  /** A person edits their message. Slack reports it again as a mention, or in direct messages as a change. */
  edit(user: string, said: SentMessage, text: string): Promise<number[]>;
  /** A person deletes their message. Slack reports it in direct messages. */
  unsay(user: string, said: SentMessage): Promise<number[]>;
  /** A person shares a file, with a comment. */
  share(
    user: string,
    text: string,
    file: { name: string; content: string | Uint8Array<ArrayBuffer> },
  ): Promise<SentMessage>;
  /** A person clicks a button of a message, with these values selected in its menu. Resolves with the app's answer. */
  click(
    user: string,
    message: SlackMessage,
    channel: string,
    actionId: string,
    chosen?: readonly string[],
  ): Promise<number>;
  /** A person clicks one of the two buttons below an answer. Slack reports each click. */
  rate(
    user: string,
    message: SlackMessage,
    channel: string,
    rating: 'positive' | 'negative',
  ): Promise<number>;
  command(user: string, text: string): Promise<{ status: number; text: string }>;
  /** A person reacts to a message. Slack reports it to apps in the channel. */
  react(
    user: string,
    message: Pick<SlackMessage, 'ts' | 'user'>,
    channel: string,
    emoji: string,
  ): Promise<number>;
  /** A person uses a shortcut of a message, which Slack sends with it. */
  shortcut(user: string, message: SlackMessage, channel: string, id: string): Promise<number>;
  /** The workspace uninstalls the app; resolves with its answer. */
  uninstall(): Promise<number>;
  /** A person opens a conversation in the assistant's pane. */
  openPane(user: string): Promise<{ channel: string; thread: string; status: number }>;
  /** The prompts, title and status that the app has set in a conversation of the pane. */
  pane(thread: string): { prompts?: unknown; title?: string; status?: string };
  /** A person opens the App Home; resolves with the app's answer. */
  openHome(user: string): Promise<number>;
  /** Messages of a thread, including its first one, or of the channel's top level. */
  read(channel: string, thread?: string): Promise<SlackMessage[]>;
  /** The content of a user's App Home; undefined before it was published. */
  home(user: string): unknown;
  /** Ephemeral messages. */
  whispers(): readonly { user: string; text: string }[];
  /** Sends an event once more, with the headers of a retry. */
  again(said: SentMessage): Promise<number[]>;
  /** Answers calls of a method with 429 and this Retry-After, this many times. */
  limit(method: string, times: number, seconds: number): void;
  /** Refuses calls of a method with this error, this many times. */
  refuse(method: string, times: number, error: string): void;
  /** A person deletes a message of the app. */
  remove(channel: string, ts: string): Promise<void>;
  stop(): Promise<void>;
}

/** A message of a person, and the app's answers to its events. */
export interface SentMessage {
  readonly channel: string;
  readonly ts: string;
  readonly events: readonly object[];
  readonly statuses: readonly number[];
}

export interface SlackOptions {
  /** Whether the streaming methods exist. Default: true. */
  readonly streams?: boolean;
  /** Whether the channel is shared with another organisation (Slack Connect), to which `mira` belongs. Default: false. */
  readonly shared?: boolean;
}

const signingSecret = 'emulated-signing-secret';
const clientId = '1234.5678';
const clientSecret = 'emulated-client-secret';
const botUser = 'U0STEPLOOP';
const people = ['ada', 'jonas', 'mira'] as const;
/** The workspace of another organisation. */
const PARTNER = 'T0PARTNER';
const tokenOf = (user: string) => `xoxp-emulated-${user}`;

export async function startSlack({
  streams = true,
  shared = false,
}: SlackOptions = {}): Promise<EmulatedSlack> {
  const streaming = new Map<string, string>();
  const homes = new Map<string, unknown>();
  const panes = new Map<string, { prompts?: unknown; title?: string; status?: string }>();
  const whispered: { user: string; text: string }[] = [];
  const limits = new Map<string, { times: number; seconds: number }>();
  const refusals = new Map<string, { times: number; error: string }>();
  const removed = new Set<string>();
  const threadsOfReplies = new Map<string, string>();
  let edits = 0;
  let appAuthorization = '';
  const port = await freePort();
  const behind = `http://127.0.0.1:${port}`;
  let app = '';

  const door = createServer((request, response) => {
    pass(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
  const emulator = await createEmulator({
    service: 'slack',
    port,
    hostname: '127.0.0.1',
    // Links to files lead through the door.
    baseUrl: url,
    seed: {
      slack: {
        team: { name: 'Tidepool', domain: 'tidepool' },
        users: people.map((name) => ({ name, real_name: name })),
        channels: [{ name: 'help', topic: 'Ask anything' }],
        signing_secret: signingSecret,
        tokens: people.map((user) => ({ token: tokenOf(user), type: 'user', user })),
        oauth_apps: [
          {
            client_id: clientId,
            client_secret: clientSecret,
            app_id: 'A0STEPLOOP',
            name: 'Steploop',
            redirect_uris: ['http://127.0.0.1/slack/oauth/callback'],
            bot_id: 'B0STEPLOOP',
            bot_user_id: botUser,
            bot_name: 'steploop',
          },
        ],
      },
    },
  });

  /** A call to the door. It goes to the emulator unless the door implements it. */
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const method = /^\/api\/([\w.]+)/.exec(request.url ?? '')?.[1] ?? '';
    const limit = limits.get(method);
    if (limit && limit.times-- > 0)
      return void response.writeHead(429, { 'retry-after': String(limit.seconds) }).end('{"ok":false}');
    const authorization = request.headers.authorization ?? '';
    const { searchParams } = new URL(request.url ?? '/', url);
    const args = Object.fromEntries([...searchParams, ...new URLSearchParams(body.toString())]);
    const answer = await instead(method, args, authorization);
    if (answer)
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    const passed = await fetch(behind + request.url, {
      method: request.method,
      headers: { authorization, 'content-type': request.headers['content-type'] ?? '' },
      ...(body.length > 0 && { body }),
      redirect: 'manual',
    });
    const headers = [...passed.headers].filter(
      ([name]) => !/^(content-length|content-encoding|transfer-encoding)$/.test(name),
    );
    const answered = Buffer.from(await passed.arrayBuffer());
    response
      .writeHead(passed.status, Object.fromEntries(headers))
      .end(tellsOfThreads(method) ? told(answered) : answered);
  }

  /** An answer with messages, in Slack's form. */
  function told(answered: Buffer): string {
    const answer = JSON.parse(answered.toString()) as { messages?: SlackMessage[] };
    return JSON.stringify(answer.messages ? { ...answer, messages: withThreads(answer.messages) } : answer);
  }

  /** The answer of the door itself; undefined for a call that is forwarded. */
  async function instead(
    method: string,
    args: Record<string, string>,
    authorization: string,
  ): Promise<object | undefined> {
    const caller = callerOf(behind, authorization);
    const { ts = '', markdown_text: markdown = '', channel = '' } = args;
    const refusal = refusals.get(method);
    const error = refusal && refusal.times-- > 0 ? refusal.error : brokenRule(method, args);
    if (error) return { ok: false, error };
    if (method.startsWith('chat.')) {
      appAuthorization = authorization;
      if (removed.has(ts)) return { ok: false, error: 'message_not_found' };
    }
    switch (method) {
      case 'chat.postMessage': {
        const { markdown_text, ...rest } = args;
        const text = markdown_text ?? asPosted(args.text ?? '');
        return text === args.text ? undefined : caller.call('chat.postMessage', { ...rest, text });
      }
      case 'chat.startStream': {
        if (!streams) return { ok: false, error: 'unknown_method' };
        if (!args.thread_ts) return { ok: false, error: 'invalid_thread_ts' };
        if (!args.recipient_user_id || !args.recipient_team_id)
          return { ok: false, error: 'missing_recipient_user_id' };
        const posted = await caller.call<{ ts: string }>('chat.postMessage', {
          channel,
          thread_ts: args.thread_ts,
          text: markdown || ' ',
        });
        streaming.set(posted.ts, markdown);
        return { ok: true, channel, ts: posted.ts };
      }
      case 'chat.appendStream':
      case 'chat.stopStream': {
        const text = streaming.get(ts);
        if (text === undefined) return { ok: false, error: 'message_not_in_streaming_state' };
        if (isStreamFull(text + markdown)) return { ok: false, error: 'msg_too_long' };
        const { blocks } = args;
        await caller.call('chat.update', {
          channel,
          ts,
          text: text + markdown || ' ',
          ...(blocks && { blocks }),
        });
        if (method === 'chat.stopStream') streaming.delete(ts);
        else streaming.set(ts, text + markdown);
        return { ok: true, channel, ts };
      }
      case 'chat.update':
        if (streaming.has(ts)) return { ok: false, error: 'streaming_state_conflict' };
        if (!markdown) return undefined;
        return caller.call('chat.update', { channel, ts, text: markdown });
      case 'chat.postEphemeral':
        whispered.push({ user: args.user ?? '', text: args.text ?? '' });
        return { ok: true, message_ts: '1.1' };
      case 'assistant.threads.setSuggestedPrompts':
      case 'assistant.threads.setTitle':
      case 'assistant.threads.setStatus': {
        const { thread_ts: thread = '', prompts, title, status } = args;
        if (!panes.has(thread)) return { ok: false, error: 'invalid_thread_ts' };
        const shown = {
          ...(prompts && { prompts: JSON.parse(prompts) }),
          ...(title && { title }),
          ...(status && { status }),
        };
        panes.set(thread, { ...panes.get(thread), ...shown });
        return { ok: true };
      }
      case 'conversations.replies': {
        // The `ts` of a reply gives that reply (docs.slack.dev, conversations.replies).
        const thread = threadsOfReplies.get(ts);
        if (!thread) return undefined;
        const { messages } = await caller.call<{ messages: SlackMessage[] }>(method, { channel, ts: thread });
        return { ok: true, messages: withThreads(messages).filter((one) => one.ts === ts) };
      }
      case 'users.info': {
        // People of another organisation have its workspace.
        const answer = await caller.call<{ user?: object }>(method, args);
        return { ...answer, user: { ...answer.user, team_id: teamOf(args.user) } };
      }
      case 'views.publish':
        homes.set(args.user_id ?? '', JSON.parse(args.view ?? 'null'));
        return undefined;
      default:
        return undefined;
    }
  }

  const as = (user: string): SlackCaller => callerOf(behind, `Bearer ${tokenOf(user)}`);
  const ada = as('ada');
  const { members } = await ada.call<{ members: { id: string; name: string }[] }>('users.list');
  const users = Object.fromEntries(members.map(({ name, id }) => [name, id]));
  const { channels } = await ada.call<{ channels: { id: string; name: string }[] }>('conversations.list');
  const channel = channels.find(({ name }) => name === 'help')?.id ?? '';
  const { team_id: team } = await ada.call<{ team_id: string }>('auth.test');

  const teamOf = (user: string | undefined) => (shared && user === users.mira ? PARTNER : team);
  const send = async (path: string, body: string, type: string, headers: Record<string, string> = {}) => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
    const response = await fetch(app + path, {
      method: 'POST',
      headers: {
        'content-type': type,
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': signature,
        ...headers,
      },
      body,
    });
    return { status: response.status, text: await response.text() };
  };
  const sendEvent = async (event: object, headers?: Record<string, string>) =>
    (await send('/slack/events', JSON.stringify(event), 'application/json', headers)).status;
  const envelope = (event: object) => ({
    token: 'deprecated',
    team_id: team,
    api_app_id: 'A0STEPLOOP',
    event,
    type: 'event_callback',
    event_id: `Ev${randomUUID().replaceAll('-', '').slice(0, 10).toUpperCase()}`,
    event_time: Math.floor(Date.now() / 1000),
    authorizations: [{ enterprise_id: null, team_id: team, user_id: botUser, is_bot: true }],
    is_ext_shared_channel: shared,
  });

  /** Sends Slack's events about a message. A mention causes two events. */
  async function announce(written: SlackMessage, where: string): Promise<SentMessage> {
    const direct = where.startsWith('D');
    const message = written.thread_ts ? await asItIsNow(written, where, ada) : written;
    if (written.thread_ts) threadsOfReplies.set(written.ts, written.thread_ts);
    const theirs =
      teamOf(message.user) === team ? { team } : { team, user_team: PARTNER, source_team: PARTNER };
    const about = { ...message, ...theirs, channel: where, event_ts: message.ts };
    const events = [
      ...(message.text.includes(`<@${botUser}>`) && !direct
        ? [envelope({ ...about, type: 'app_mention' })]
        : []),
      envelope({ ...about, type: 'message', channel_type: direct ? 'im' : 'channel' }),
    ];
    const statuses: number[] = [];
    for (const event of events) statuses.push(await sendEvent(event));
    return { channel: where, ts: message.ts, events, statuses };
  }

  const write = async (user: string, where: string, text: string, thread?: string): Promise<SentMessage> => {
    const args = { channel: where, text, ...(thread && { thread_ts: thread }) };
    const { message, channel: written } = await as(user).call<{ message: SlackMessage; channel: string }>(
      'chat.postMessage',
      args,
    );
    return announce(message, written);
  };

  /** Reports a click (docs.slack.dev, "block_actions"). */
  async function pressed(
    user: string,
    message: SlackMessage,
    where: string,
    button: SlackElement,
    chosen: readonly string[] = [],
  ): Promise<number> {
    const payload = {
      type: 'block_actions',
      user: { id: users[user], username: user, team_id: teamOf(users[user]) },
      api_app_id: 'A0STEPLOOP',
      container: { type: 'message', message_ts: message.ts, channel_id: where, is_ephemeral: false },
      trigger_id: randomUUID(),
      team: { id: team, domain: 'tidepool' },
      channel: { id: where, name: 'help' },
      message,
      state: { values: menusOf(message.blocks ?? [], chosen) },
      actions: [{ ...button, block_id: 'b1', action_ts: (Date.now() / 1000).toFixed(6) }],
    };
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    return (await send('/slack/interactions', body, 'application/x-www-form-urlencoded')).status;
  }

  return {
    apiUrl: `${url}/api/`,
    team,
    botUser,
    signingSecret,
    clientId,
    clientSecret,
    users,
    channel,
    connect(appUrl) {
      app = appUrl;
    },
    async consent(installUrl, user) {
      const begun = await fetch(installUrl, { redirect: 'manual' });
      const asked = new URL(begun.headers.get('location') ?? 'about:blank');
      const form = new URLSearchParams({
        ...Object.fromEntries(asked.searchParams),
        user_id: users[user] ?? '',
      });
      const agreed = await fetch(`${behind}/oauth/v2/authorize/callback`, {
        method: 'POST',
        body: form,
        redirect: 'manual',
      });
      const cookie = begun.headers
        .getSetCookie()
        .map((one) => one.split(';')[0])
        .join('; ');
      const back = await fetch(agreed.headers.get('location') ?? '', {
        headers: { cookie },
        redirect: 'manual',
      });
      return { status: back.status, text: await back.text() };
    },
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
    async click(user, seen, where, actionId, chosen = []) {
      const message = await asItIsNow(seen, where, ada);
      const buttons = (message.blocks ?? []).flatMap(({ elements = [], accessory }) => [
        ...elements,
        ...(accessory ? [accessory] : []),
      ]);
      const button = buttons.find(({ action_id }) => action_id === actionId);
      if (!button) throw new Error(`the message has no button ${actionId}`);
      return pressed(user, message, where, button, chosen);
    },
    async rate(user, seen, where, rating) {
      const message = await asItIsNow(seen, where, ada);
      const elements = (message.blocks ?? []).flatMap((block) => block.elements ?? []);
      const buttons = elements.find(({ type }) => type === 'feedback_buttons');
      const button = buttons?.[`${rating}_button`];
      if (!buttons || !button) throw new Error('the message has no buttons to rate it');
      const { type, action_id } = buttons;
      return pressed(user, message, where, { type, ...(action_id && { action_id }), ...button });
    },
    command(user, text) {
      const body = new URLSearchParams({
        token: 'deprecated',
        team_id: team,
        team_domain: 'tidepool',
        channel_id: channel,
        channel_name: 'help',
        user_id: users[user] ?? '',
        user_name: user,
        command: '/steploop',
        text,
        api_app_id: 'A0STEPLOOP',
        is_enterprise_install: 'false',
        response_url: 'https://hooks.slack.com/commands/1234/5678',
        trigger_id: randomUUID(),
      }).toString();
      return send('/slack/commands', body, 'application/x-www-form-urlencoded');
    },
    react: (user, { ts, user: item_user }, where, reaction) =>
      // The thread of a reply is not named (slackapi/bolt-js#1341).
      sendEvent(
        envelope({
          type: 'reaction_added',
          ...{ user: users[user], reaction, item_user },
          item: { type: 'message', channel: where, ts },
          event_ts: (Date.now() / 1000).toFixed(6),
        }),
      ),
    async shortcut(user, seen, where, callback_id) {
      const message = await asItIsNow(seen, where, ada);
      const payload = {
        type: 'message_action',
        callback_id,
        trigger_id: randomUUID(),
        user: { id: users[user], name: user, team_id: teamOf(users[user]) },
        team: { id: team, domain: 'tidepool' },
        channel: { id: where, name: 'help' },
        message_ts: message.ts,
        message: { type: 'message', ...message },
        response_url: 'https://hooks.slack.com/app/1234/5678',
        action_ts: (Date.now() / 1000).toFixed(6),
        is_enterprise_install: false,
        enterprise: null,
      };
      const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
      return (await send('/slack/interactions', body, 'application/x-www-form-urlencoded')).status;
    },
    // A moment after the installation, because Slack's times are whole seconds.
    uninstall: () =>
      sendEvent({ ...envelope({ type: 'app_uninstalled' }), event_time: Math.ceil(Date.now() / 1000) }),
    openHome: (user) =>
      sendEvent(
        envelope({
          type: 'app_home_opened',
          user: users[user],
          channel: 'D0HOME',
          tab: 'home',
          event_ts: '1.1',
        }),
      ),
    async read(where, thread) {
      const method = thread ? 'conversations.replies' : 'conversations.history';
      const reader = where.startsWith('D') ? as('ada') : ada;
      const { messages } = await reader.call<{ messages: SlackMessage[] }>(method, {
        channel: where,
        ...(thread && { ts: thread }),
        include_all_metadata: 'true',
      });
      return withThreads(thread ? messages : messages.toReversed());
    },
    home: (user) => homes.get(users[user] ?? ''),
    pane: (thread) => panes.get(thread) ?? {},
    async openPane(user) {
      const ours = callerOf(behind, appAuthorization);
      const opened = await ours.call<{ channel: { id: string } }>('conversations.open', {
        users: users[user] ?? '',
      });
      const { id } = opened.channel;
      const root = await ours.call<{ ts: string }>('chat.postMessage', {
        channel: id,
        text: 'New conversation',
      });
      panes.set(root.ts, {});
      const assistant_thread = {
        user_id: users[user],
        context: { channel_id: channel, team_id: team, enterprise_id: null },
        channel_id: id,
        thread_ts: root.ts,
      };
      const event = { type: 'assistant_thread_started', assistant_thread, event_ts: root.ts };
      return { channel: id, thread: root.ts, status: await sendEvent(envelope(event)) };
    },
    whispers: () => whispered,
    async again({ events }) {
      const headers = { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' };
      return Promise.all(events.map((event) => sendEvent(event, headers)));
    },
    limit: (method, times, seconds) => void limits.set(method, { times, seconds }),
    refuse: (method, times, error) => void refusals.set(method, { times, error }),
    async remove(where, ts) {
      removed.add(ts);
      streaming.delete(ts);
      await callerOf(behind, appAuthorization).call('chat.delete', { channel: where, ts });
    },
    async stop() {
      door.closeAllConnections();
      await new Promise((resolve) => door.close(resolve));
      await emulator.close();
    },
  };
}

/** A port that was free a moment ago: the emulator does not report its port if its links lead elsewhere. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
