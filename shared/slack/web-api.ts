import {
  LogLevel,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebClient,
  type WebClientOptions,
} from '@slack/web-api';
import * as z from 'zod';
import { defined } from '../agent/plain/defined.ts';
import type { Answer, Found, Label, Reply, SlackApi, Target } from './api.ts';
import type { Outgoing } from './outgoing.ts';
import { besideText } from './payloads.ts';
import { readTolerantly } from './tolerant.ts';
import { upload } from './upload.ts';

/** Name of our metadata on messages. */
const METADATA = 'steploop';
/** Time in ms for one call; Slack answers in some hundred ms. */
const TIMEOUT_MS = 10_000;
/** Pages of a thread that are read, of up to 200 messages each. */
const THREAD_PAGES = 5;
/** Upper bound on the difference between Slack's clock and ours, in ms. */
const SKEW_MS = 60_000;

/**
 * The library's client, without its retries: it would sleep through a 429 and try ten times over 30 minutes, on paid
 * compute. Here a call is tried once, and the caller decides what to do next.
 */
export const webClient = (apiUrl: string, token?: string, options: WebClientOptions = {}): WebClient =>
  new WebClient(token, {
    slackApiUrl: apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: TIMEOUT_MS,
    allowAbsoluteUrls: false,
    // Its log messages can contain request bodies.
    logLevel: LogLevel.ERROR,
    ...options,
  });

/** Slack's Web API as the bot of one workspace. */
export function createSlackApi(client: WebClient): SlackApi {
  return {
    post: (target, message, label) =>
      ask(PostedMessage, () =>
        client.apiCall('chat.postMessage', {
          ...placed(target),
          ...content(message),
          metadata: metadata(label),
          // Slack must not fetch links that the model names.
          unfurl_links: false,
          unfurl_media: false,
        }),
      ),
    update: (channel, ts, message) =>
      ask(z.unknown(), () => client.apiCall('chat.update', { channel, ts, ...content(message) })),
    startStream: (target, { user, team }, markdown) =>
      ask(PostedMessage, () =>
        client.apiCall('chat.startStream', {
          ...placed(target),
          recipient_user_id: user,
          recipient_team_id: team,
          markdown_text: markdown,
        }),
      ),
    appendStream: (channel, ts, markdown) =>
      ask(z.unknown(), () => client.apiCall('chat.appendStream', { channel, ts, markdown_text: markdown })),
    stopStream: (channel, ts, markdown, blocks) =>
      ask(z.unknown(), () =>
        client.apiCall('chat.stopStream', {
          channel,
          ts,
          ...(markdown && { markdown_text: markdown }),
          ...defined({ blocks }),
        }),
      ),
    // Slack refuses text beside chunks (NousResearch/hermes-agent#87743).
    startCards: (target, { user, team }, chunks) =>
      ask(PostedMessage, () =>
        client.apiCall('chat.startStream', {
          ...placed(target),
          recipient_user_id: user,
          recipient_team_id: team,
          task_display_mode: 'plan',
          chunks,
        }),
      ),
    appendCards: (channel, ts, chunks) =>
      ask(z.unknown(), () => client.apiCall('chat.appendStream', { channel, ts, chunks })),
    stopCards: (channel, ts, chunks) =>
      ask(z.unknown(), () =>
        client.apiCall('chat.stopStream', { channel, ts, ...(chunks.length > 0 && { chunks }) }),
      ),
    ownMessages: (target, since) => ownMessages(client, target, since),
    replies: (channel, thread, before) => replies(client, channel, thread, before),
    message: (channel, ts) => messageAt(client, channel, ts),
    suggestPrompts: (channel, thread, prompts) =>
      ask(z.unknown(), () =>
        client.apiCall('assistant.threads.setSuggestedPrompts', {
          channel_id: channel,
          thread_ts: thread,
          prompts,
        }),
      ),
    setTitle: (channel, thread, title) =>
      ask(z.unknown(), () =>
        client.apiCall('assistant.threads.setTitle', { channel_id: channel, thread_ts: thread, title }),
      ),
    setStatus: (channel, thread, status) =>
      ask(z.unknown(), () =>
        client.apiCall('assistant.threads.setStatus', { channel_id: channel, thread_ts: thread, status }),
      ),
    publishHome: (user, view) =>
      ask(z.unknown(), () => client.apiCall('views.publish', { user_id: user, view })),
    openView: (trigger, view) =>
      ask(z.unknown(), () => client.apiCall('views.open', { trigger_id: trigger, view })),
    async uploadUrl(filename, length) {
      const answer = await ask(UploadPlace, () =>
        client.apiCall('files.getUploadURLExternal', { filename, length }),
      );
      if (answer.kind !== 'ok') return answer;
      const { upload_url: url, file_id: id } = answer.value;
      return { kind: 'ok', value: { url, id } };
    },
    upload: (url, bytes) => upload(url, bytes, client.slackApiUrl),
    completeUpload: ({ channel, thread }, file) =>
      ask(z.unknown(), () =>
        client.apiCall('files.completeUploadExternal', {
          files: [file],
          channel_id: channel,
          ...(thread && { thread_ts: thread }),
        }),
      ),
    isShared: (file, channel) => isShared(client, file, channel),
    postEphemeral: (target, user, text) =>
      ask(z.unknown(), () => client.apiCall('chat.postEphemeral', { ...placed(target), user, text })),
    isKnown: () => ask(z.unknown(), () => client.apiCall('auth.test')),
    async openDirect(user) {
      const answer = await ask(OpenedDirect, () => client.apiCall('conversations.open', { users: user }));
      return answer.kind === 'ok' ? { kind: 'ok', value: { channel: answer.value.channel.id } } : answer;
    },
  };
}

/** Runs a call. `unknown` also when Slack's answer differs from its documentation. */
export async function ask<Schema extends z.ZodType>(
  schema: Schema,
  call: () => Promise<unknown>,
): Promise<Answer<z.output<Schema>>> {
  try {
    const parsed = schema.safeParse(await call());
    return parsed.success
      ? { kind: 'ok', value: parsed.data }
      : { kind: 'unknown', error: `not an answer of Slack's: ${z.prettifyError(parsed.error)}` };
  } catch (error) {
    if (error instanceof WebAPIRateLimitedError)
      return { kind: 'limited', retryAfterMs: Math.max(1, error.retryAfter) * 1000 };
    if (error instanceof WebAPIPlatformError) return refusal(error.data.error);
    // Slack answers 200 to almost everything; another server of its API may not know a method.
    if (error instanceof WebAPIHTTPError && error.statusCode < 500)
      return { kind: 'refused', error: `http_${error.statusCode}` };
    return { kind: 'unknown', error: error instanceof Error ? error.message : String(error) };
  }
}

/** Temporary failures do not count as refusals (docs.slack.dev: errors that all methods share). */
function refusal(error: string): Answer<never> {
  switch (error) {
    case 'ratelimited':
    case 'rate_limited':
    case 'message_limit_exceeded':
      return { kind: 'limited', retryAfterMs: 30_000 };
    case 'fatal_error':
    case 'internal_error':
    case 'request_timeout':
    case 'service_unavailable':
    case 'team_added_to_org':
      return { kind: 'unknown', error };
    default:
      return { kind: 'refused', error };
  }
}

async function ownMessages(
  client: WebClient,
  target: Target,
  since: number,
): Promise<Answer<readonly Found[]>> {
  const self = await ask(Self, () => client.apiCall('auth.test'));
  if (self.kind !== 'ok') return self;
  const { user_id, bot_id } = self.value;
  const found: Found[] = [];
  const oldest = String(Math.max(0, Math.floor((since - SKEW_MS) / 1000)));
  for (let cursor: string | undefined; ; ) {
    const page = await ask(Page, () =>
      client.apiCall(target.thread ? 'conversations.replies' : 'conversations.history', {
        channel: target.channel,
        ...(target.thread && { ts: target.thread }),
        oldest,
        limit: 200,
        include_all_metadata: true,
        ...(cursor && { cursor }),
      }),
    );
    if (page.kind !== 'ok') return page;
    const { messages, response_metadata } = page.value;
    const ours = messages.filter(
      // A file that was shared has no label either, and is no stream.
      ({ user, bot_id: bot, ts, files = [] }) =>
        (user === user_id || (bot && bot === bot_id)) && Number(ts) >= Number(oldest) && files.length === 0,
    );
    found.push(...ours.map(({ ts, metadata }) => ({ ts, ...labelOf(metadata) })));
    cursor = response_metadata?.next_cursor || undefined;
    if (!cursor) return { kind: 'ok', value: found.sort((a, b) => Number(a.ts) - Number(b.ts)) };
  }
}

/**
 * A thread: its first page, and of a longer one the latest messages. `conversations.replies` returns messages from the
 * oldest (docs.slack.dev), so the latest are asked for by `oldest`, at a time that is guessed from how fast the thread
 * goes; from there on pages are read to the end.
 */
async function replies(
  client: WebClient,
  channel: string,
  thread: string,
  before: string,
): Promise<Answer<Thread>> {
  const pageOf = async (over: { oldest?: string; cursor?: string }): Promise<Answer<ThreadPage>> => {
    const page = await ask(Page, () =>
      client.apiCall('conversations.replies', { channel, ts: thread, latest: before, limit: 200, ...over }),
    );
    if (page.kind !== 'ok') return page;
    const { messages, response_metadata } = page.value;
    const next = response_metadata?.next_cursor || undefined;
    return {
      kind: 'ok',
      value: { messages: messages.filter(({ ts }) => Number(ts) < Number(before)), next },
    };
  };
  const first = await pageOf({});
  if (first.kind !== 'ok') return first;
  const { messages } = first.value;
  if (!first.value.next) return { kind: 'ok', value: { messages: messages.map(toReply), more: false } };

  const known = new Map(messages.map((one) => [one.ts, one]));
  const last = Number(messages.at(-1)?.ts ?? thread);
  const count = messages[0]?.reply_count ?? messages.length * 2;
  let span = (Number(before) - last) * Math.min(1, WANTED / Math.max(1, count - messages.length));
  let latest = 0;
  let more = true;
  let cursor: string | undefined;
  for (let pages = 1; pages < THREAD_PAGES && (more || latest < LEAST); pages++) {
    const oldest = Math.max(last, Number(before) - span).toFixed(6);
    const page = await pageOf(cursor ? { cursor, oldest } : { oldest });
    // A part of the thread is better than nothing.
    if (page.kind !== 'ok') break;
    // The latest are known already, and there are many before them.
    if (!more && page.value.next) break;
    const unknown = page.value.messages.filter(({ ts }) => !known.has(ts));
    for (const one of unknown) known.set(one.ts, one);
    latest += unknown.length;
    cursor = page.value.next;
    more = cursor !== undefined;
    if (!more && Number(oldest) <= last) break;
    if (!more) span *= 4;
  }
  const all = [...known.values()].sort((a, b) => Number(a.ts) - Number(b.ts));
  return { kind: 'ok', value: { messages: all.map(toReply), more, total: count + 1 } };
}

/**
 * A message of a channel or of a thread. `conversations.history` does not return replies, and `conversations.replies` takes the `ts` of any
 * message (docs.slack.dev, conversations.replies; liatrio/gratibot#50, vercel/chat#203).
 */
async function messageAt(
  client: WebClient,
  channel: string,
  ts: string,
): Promise<Answer<{ message: Reply; thread?: string } | undefined>> {
  const page = await ask(Page, () =>
    client.apiCall('conversations.replies', {
      channel,
      ts,
      oldest: ts,
      latest: ts,
      inclusive: true,
      limit: 2,
    }),
  );
  if (page.kind !== 'ok') return page;
  const found = page.value.messages.find((one) => one.ts === ts);
  if (!found) return { kind: 'ok', value: undefined };
  const { thread_ts: thread } = found;
  return { kind: 'ok', value: { message: toReply(found), ...defined({ thread }) } };
}

/** A file that was not completed is unknown, or has no shares (docs.slack.dev, "File object"). */
async function isShared(client: WebClient, file: string, channel: string): Promise<Answer<boolean>> {
  const answer = await ask(SharedFile, () => client.apiCall('files.info', { file }));
  if (answer.kind === 'refused' && answer.error === 'file_not_found') return { kind: 'ok', value: false };
  if (answer.kind !== 'ok') return answer;
  const { shares, channels, groups, ims } = answer.value.file;
  const places = [...Object.keys({ ...shares?.public, ...shares?.private }), ...channels, ...groups, ...ims];
  return { kind: 'ok', value: places.includes(channel) };
}

/** Latest messages that are asked for at once, and that are enough. */
const WANTED = 150;
const LEAST = 50;

type Thread = { messages: readonly Reply[]; more: boolean; total?: number };
interface ThreadPage {
  readonly messages: readonly z.output<typeof Told>[];
  readonly next: string | undefined;
}

const toReply = ({
  ts,
  user,
  bot_id: bot,
  text,
  files = [],
  attachments,
  blocks,
}: z.output<typeof Told>): Reply => ({
  ...{ ts, text, files: files.map(({ name }) => name ?? 'file') },
  ...defined({ attachments, blocks }),
  ...(user && { user }),
  ...(bot && { bot }),
});

const placed = ({ channel, thread }: Target) => ({ channel, ...(thread && { thread_ts: thread }) });

const content = ({ text, blocks, markdown }: Outgoing) =>
  markdown === undefined ? { text, ...defined({ blocks }) } : { markdown_text: markdown };

const metadata = ({ sessionId, slot }: Label) => ({
  event_type: METADATA,
  event_payload: { session: sessionId, slot },
});

function labelOf(sent: unknown): { label?: Label } {
  const { data } = Metadata.safeParse(sent);
  return data ? { label: { sessionId: data.event_payload.session, slot: data.event_payload.slot } } : {};
}

const PostedMessage = z.object({ ts: z.string() });
const OpenedDirect = z.object({ channel: z.object({ id: z.string() }) });
const UploadPlace = z.object({ upload_url: z.string(), file_id: z.string() });
const ids = z.array(z.string()).default([]);
const places = z.record(z.string(), z.unknown()).nullish();
const SharedFile = z.object({
  file: z.object({
    shares: z.object({ public: places, private: places }).nullish().catch(undefined),
    ...{ channels: ids, groups: ids, ims: ids },
  }),
});
const Self = z.object({ user_id: z.string(), bot_id: z.string().optional() });
const Metadata = z.object({
  event_type: z.literal(METADATA),
  event_payload: z.object({ session: z.string(), slot: z.string() }),
});
/** A message of a history. One odd field does not lose it, and one odd message does not lose the others. */
const Told = z.object({
  ts: z.string(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  text: z.string().default(''),
  reply_count: z.number().optional(),
  thread_ts: z.string().optional(),
  ...besideText,
  files: z.array(z.object({ name: z.string().nullish() })).optional(),
  metadata: z.unknown().optional(),
});
const Page = z.object({
  messages: z
    .array(z.unknown())
    .default([])
    .transform((all) => all.flatMap((one) => readTolerantly(Told, one).value ?? [])),
  response_metadata: z.object({ next_cursor: z.string().optional() }).nullish(),
});
