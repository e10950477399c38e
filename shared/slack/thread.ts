/**
 * What a thread shows of a session, and what is to be done so that it shows the rest. Pure: {@link nextMove} compares
 * the story that the event log tells with what was posted so far and names one move; {@link moved} is the memory after
 * it. The shell (`follow.ts`) carries moves out, one at a time.
 *
 * T1. A run has one status message (with the Stop button while it runs), one message or more for each text of the
 *     assistant, and one for each thing that a person is asked.
 * T2. Before a move that makes a new message, the memory says so (`pending`); afterwards it has the message's `ts`.
 *     Whoever finds `pending` looks for the message before it posts one (`follow.ts`): nothing is posted twice.
 * T3. A stream can only be appended to. So a text that changes otherwise (an attempt that was taken back), a stream
 *     that Slack has closed, and one whose last append may or may not have arrived, are stopped and then written anew
 *     by `chat.update`, which is the same however often it is done.
 */

import { hash } from '../agent/hash.ts';
import { own } from '../agent/merge.ts';
import type { Outgoing } from './blocks.ts';
import * as blocks from './blocks.ts';
import { toMrkdwn } from './markdown.ts';
import { closing, cutAt, excerpt, settledEnd } from './split.ts';
import type { Said, Story } from './story.ts';
import { streamPiece, toStreamMarkdown } from './stream-markdown.ts';

/** What is remembered between deliveries: kept with the destination. Small: it lives in one item. */
export interface Thread {
  /** Whether streams are used: not for the rest of a run after a rate limit, and never again after a refusal. */
  readonly streams: 'yes' | 'not_now' | 'never';
  readonly runId?: string;
  readonly status?: Posted;
  readonly parts: readonly Part[];
  /** By the ask's id. */
  readonly asks: Readonly<Record<string, Posted>>;
  /** Asks of earlier runs whose message still has buttons. */
  readonly open: readonly OpenAsk[];
  readonly pending?: Pending;
  /** A stream may have got more than is remembered: set before the first append of a delivery, cleared at its end. */
  readonly unsure?: boolean;
}

/** A message with buttons, and the first lines of what it says: up to {@link KEPT} characters. */
export interface OpenAsk {
  readonly id: string;
  readonly ts: string;
  readonly message: string;
  /** As of {@link Ask}; absent in memories from before it was kept. */
  readonly reason?: string;
}

/** A message in the thread. */
export interface Posted {
  /** Absent when Slack will not have it, or a person has deleted it: it is not posted again. */
  readonly ts?: string;
  /** Digest of what it shows. */
  readonly shown: string;
}

/** A message with a piece of one text of the assistant. */
export interface Part {
  /** Which text of the run: its place in {@link Story.said}. */
  readonly said: number;
  /** The piece, in characters of the text; `to` is there when the next part has begun. */
  readonly from: number;
  readonly to?: number;
  /** As of {@link Posted}. */
  readonly ts?: string;
  /** `stream`: it is being streamed. `ended`: it was streamed; only `chat.update` changes it. `post`: it never was. */
  readonly mode: 'stream' | 'ended' | 'post';
  /** Characters of the text that it shows, from the text's start. */
  readonly sent: number;
  /** Digest of what it shows of the text. */
  readonly shown: string;
  /** Epoch ms at which a stream was begun, and last appended to. */
  readonly since: number;
  readonly touched: number;
}

/** A message that is being posted: it may be there already. */
export interface Pending {
  /** In the message's metadata, by which it is found. Streams have none: the newest unknown message is it. */
  readonly slot: string;
  readonly stream: boolean;
  /** Epoch ms. */
  readonly since: number;
  /** What it will be, once its `ts` is known. */
  readonly becomes: Becomes;
}

export type Becomes =
  | { readonly kind: 'status'; readonly shown: string }
  | { readonly kind: 'ask'; readonly id: string; readonly shown: string }
  | { readonly kind: 'part'; readonly part: Omit<Part, 'ts'> }
  /** The message of an earlier ask, without its buttons. */
  | { readonly kind: 'settled'; readonly id: string };

export const newThread: Thread = { streams: 'yes', parts: [], asks: {}, open: [] };

export type Move =
  | { readonly kind: 'post'; readonly slot: string; readonly message: Outgoing; readonly becomes: Becomes }
  | { readonly kind: 'start'; readonly slot: string; readonly markdown: string; readonly becomes: Becomes }
  | {
      readonly kind: 'append';
      readonly at: number;
      readonly ts: string;
      readonly markdown: string;
      readonly part: Part;
    }
  | {
      readonly kind: 'stop';
      readonly at: number;
      readonly ts: string;
      readonly markdown: string;
      readonly part: Part;
    }
  | { readonly kind: 'update'; readonly ts: string; readonly message: Outgoing; readonly becomes: Becomes }
  /** Nothing to do for so many ms, if nothing new is said. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** The run is told to its end. */
  | { readonly kind: 'told'; readonly endSeq: number };

/** Shown of one text in a message that is streamed, in characters (chat.startStream: `markdown_text`, 12,000). */
export const STREAM_LIMIT = 11_000;
/** In a message that is posted (chat.postMessage: recommended at most 4,000 characters of text). */
export const POST_LIMIT = 3_900;
/** Between two updates of one message, in ms (chat.update: 50 and more a minute, and one message a second in a channel). */
export const UPDATE_MS = 1_200;
/** Between two appends, in ms (chat.appendStream: 100 and more a minute). */
export const APPEND_MS = 700;
/**
 * A stream that got nothing for so long is stopped by us, in ms, and so is one that lives for so long: Slack closes
 * them by itself after about 30 s and 5 minutes, and the message then shows an error for ever (undocumented; reported
 * in vercel/chat#607 and vercel/eve#4028).
 */
export const STREAM_IDLE_MS = 20_000;
export const STREAM_LIFE_MS = 240_000;
/** Messages with buttons that are remembered until they are answered; older ones keep their buttons, which say so. */
const MAX_OPEN = 20;
/** Characters of such a message that are remembered, so that all of them fit into one item. */
const KEPT = 3_000;

/** Now, and when the thread was last updated: epoch ms. Both are the shell's. */
export interface Pace {
  readonly now: number;
  readonly updatedAt: number;
}

/** The next thing to do so that the thread shows the story. Told again after each move, with the new memory. */
export function nextMove(story: Story, thread: Thread, pace: Pace): Move {
  if (thread.runId !== story.runId) return nextMove(story, beginRun(thread, story), pace);
  return (
    firstStatus(story, thread) ??
    nextOfTexts(story, thread, pace) ??
    nextAsk(story, thread) ??
    nextStatus(story, thread, pace) ??
    (story.endSeq === undefined ? { kind: 'wait', ms: UPDATE_MS } : { kind: 'told', endSeq: story.endSeq })
  );
}

/**
 * Takes the buttons off the first message whose question has its answer.
 *
 * @param outcomes what came of asks, by id, in mrkdwn
 * @param goesOn the session has gone on: whatever it had asked is answered
 */
export function nextSettled(
  { open }: Thread,
  outcomes: Readonly<Record<string, string>>,
  goesOn: boolean,
): Extract<Move, { kind: 'update' }> | undefined {
  const ask = open.find(({ id }) => goesOn || own(outcomes, id));
  if (!ask) return undefined;
  const message = blocks.settledAsk(
    ask.message,
    ask.reason ?? 'approval',
    own(outcomes, ask.id) ?? 'Answered.',
  );
  return { kind: 'update', ts: ask.ts, message, becomes: { kind: 'settled', id: ask.id } };
}

/** The memory when a run begins: what was asked before has its answer now. */
export function beginRun(thread: Thread, { runId }: Story): Thread {
  if (thread.runId === runId) return thread;
  const { streams, open, unsure } = thread;
  return {
    streams: streams === 'not_now' ? 'yes' : streams,
    open,
    ...(unsure && { unsure }),
    runId,
    parts: [],
    asks: {},
  };
}

/** The memory after a move. `ts` is the new message's, or undefined when Slack will not have it. */
export function moved(thread: Thread, story: Story, move: Move, ts?: string): Thread {
  const before = beginRun(thread, story);
  switch (move.kind) {
    case 'post':
    case 'start':
      return become(withoutPending(before), move.becomes, ts);
    case 'update':
      return become(before, move.becomes, ts);
    case 'append':
    case 'stop':
      return { ...before, parts: before.parts.map((part, i) => (i === move.at ? move.part : part)) };
    case 'told': {
      const asked = story.ending?.kind === 'waiting' ? story.ending.asks : [];
      const open = asked.flatMap(({ id, message, reason }): OpenAsk[] => {
        const posted = before.asks[id];
        return posted?.ts ? [{ id, ts: posted.ts, message: firstLines(message), reason }] : [];
      });
      return {
        streams: before.streams,
        parts: [],
        asks: {},
        open: [...before.open, ...open].slice(-MAX_OPEN),
      };
    }
    case 'wait':
      return before;
    default:
      return move satisfies never;
  }
}

/** Whole lines, and a note where some are left out. */
function firstLines(message: string): string {
  if (message.length <= KEPT) return message;
  const end = message.lastIndexOf('\n', KEPT);
  return `${message.slice(0, end < 0 ? KEPT : end).toWellFormed()}\n(more was shown while it was asked)`;
}

/** The memory once a message is there that was being posted, also when it was found in the thread later. */
export function become(thread: Thread, becomes: Becomes, ts: string | undefined): Thread {
  switch (becomes.kind) {
    case 'status':
      return { ...thread, status: { ts, shown: becomes.shown } };
    case 'ask':
      return { ...thread, asks: { ...thread.asks, [becomes.id]: { ts, shown: becomes.shown } } };
    case 'settled':
      return { ...thread, open: thread.open.filter(({ id }) => id !== becomes.id) };
    case 'part': {
      const part: Part = { ...becomes.part, ts };
      const at = thread.parts.findIndex(({ said, from }) => said === part.said && from === part.from);
      const parts = at < 0 ? [...thread.parts, part] : thread.parts.with(at, part);
      return { ...thread, parts };
    }
    default:
      return becomes satisfies never;
  }
}

export const withoutPending = ({ pending: _, ...thread }: Thread): Thread => thread;

/** After a delivery that may have died in the middle of an append: streams are not appended to any more (T3). */
export function distrusted(thread: Thread): { thread: Thread; stop: readonly string[] } {
  const stop = thread.parts.flatMap(({ mode, ts }) => (mode === 'stream' && ts ? [ts] : []));
  const { unsure: _, ...rest } = thread;
  const parts = thread.parts.map((part): Part => (part.mode === 'stream' ? ended(part) : part));
  return { thread: { ...rest, parts }, stop };
}

/** A stream that has come to an end in an unknown state: what it shows must be written anew. */
export const ended = (part: Part): Part => ({ ...part, mode: 'ended', shown: '' });

function firstStatus(story: Story, thread: Thread): Move | undefined {
  if (thread.status) return undefined;
  const message = blocks.status(story);
  const becomes: Becomes = { kind: 'status', shown: digest(message) };
  return { kind: 'post', slot: `${story.runId}/status`, message, becomes };
}

function nextStatus(story: Story, { status }: Thread, { now, updatedAt }: Pace): Move | undefined {
  const message = blocks.status(story);
  const shown = digest(message);
  if (!status?.ts || status.shown === shown) return undefined;
  if (story.endSeq === undefined && now - updatedAt < UPDATE_MS) return undefined;
  return { kind: 'update', ts: status.ts, message, becomes: { kind: 'status', shown } };
}

function nextAsk({ ending, at }: Story, thread: Thread): Move | undefined {
  if (ending?.kind !== 'waiting') return undefined;
  const ask = ending.asks.find(({ id }) => !thread.asks[id]);
  if (!ask) return undefined;
  const message = blocks.ask(ask, at);
  const becomes: Becomes = { kind: 'ask', id: ask.id, shown: digest(message) };
  return { kind: 'post', slot: `ask/${ask.id}`, message, becomes };
}

/** The first text that does not stand in the thread as it should. */
function nextOfTexts(story: Story, thread: Thread, pace: Pace): Move | undefined {
  // A message whose text is in the story no more was read from an attempt that was dead already.
  const count = Math.max(story.said.length, ...thread.parts.map(({ said }) => said + 1));
  for (let n = 0; n < count; n++) {
    const move = nextOfText(story, n, story.said[n] ?? nothingSaid, thread, pace);
    if (move) return move;
  }
  return undefined;
}

const nothingSaid: Said = { messageId: '', text: '', open: false, retracted: true };

function nextOfText(story: Story, n: number, said: Said, thread: Thread, pace: Pace): Move | undefined {
  const text = said.retracted ? '' : said.text;
  const parts = thread.parts.map((part, at) => ({ part, at })).filter(({ part }) => part.said === n);
  for (const { part, at } of parts) {
    const move = nextOfPart(story, said, text, part, at, pace);
    if (move) return move;
  }
  const last = parts.at(-1)?.part;
  const from = last ? (last.to ?? text.length) : 0;
  if (last && last.to === undefined) return undefined;
  return from < text.length ? newPart(story, n, said, text, from, thread, pace) : undefined;
}

/** Begins a message: as a stream when it may grow and streams are welcome here, else as a post. */
function newPart(
  story: Story,
  n: number,
  said: Said,
  text: string,
  from: number,
  thread: Thread,
  { now }: Pace,
): Move | undefined {
  const native = thread.streams === 'yes' && said.open;
  const end = said.open ? settledEnd(text, from) : text.length;
  if (end <= from) return undefined;
  const to = cutAt(text.slice(0, end), from, native ? STREAM_LIMIT : POST_LIMIT);
  const slot = `${story.runId}/${n}/${from}`;
  const part = { said: n, from, sent: to, shown: digestOf(text, from, to), since: now, touched: now };
  if (native) {
    const markdown = streamPiece(text, from, from, to);
    return { kind: 'start', slot, markdown, becomes: { kind: 'part', part: { ...part, mode: 'stream' } } };
  }
  const cut = to < end ? { to } : {};
  const message = { text: toMrkdwn(excerpt(text, from, to)) };
  return { kind: 'post', slot, message, becomes: { kind: 'part', part: { ...part, ...cut, mode: 'post' } } };
}

function nextOfPart(
  story: Story,
  said: Said,
  text: string,
  part: Part,
  at: number,
  pace: Pace,
): Move | undefined {
  if (!part.ts) return undefined;
  if (part.mode === 'stream') return nextOfStream(said, text, part, at, part.ts, pace);

  const limit = part.mode === 'ended' ? STREAM_LIMIT : POST_LIMIT;
  // A text that replaces a longer one may end before this part begins.
  const whole = said.open ? Math.min(settledEnd(text, part.from), text.length) : text.length;
  const to = Math.min(part.to ?? cutAt(text.slice(0, whole), part.from, limit), text.length);
  const body = excerpt(text, part.from, to);
  const message = messageOf(story, part, body);
  // What stands in for a text that was taken back depends on whether the run goes on.
  const shown = body.trim() === '' ? digest(message) : digestOf(text, part.from, to);
  if (shown === part.shown && (part.to !== undefined || to >= whole)) return undefined;
  const growing = said.open && to >= whole;
  if (growing && pace.now - pace.updatedAt < UPDATE_MS) return undefined;
  const cut = to < whole ? { to } : {};
  const next: Omit<Part, 'ts'> = { ...part, ...cut, sent: to, shown, touched: pace.now };
  return { kind: 'update', ts: part.ts, message, becomes: { kind: 'part', part: next } };
}

/** What replaces a message. It cannot be empty: of a text that was taken back for good, a note stays. */
function messageOf({ ending }: Story, part: Part, body: string): Outgoing {
  if (body.trim() === '')
    return { text: ending ? '_This part was taken back._' : '_One moment: trying again._' };
  return { text: toMrkdwn(body), ...(part.mode === 'ended' && { markdown: toStreamMarkdown(body) }) };
}

function nextOfStream(
  said: Said,
  text: string,
  part: Part,
  at: number,
  ts: string,
  { now }: Pace,
): Move | undefined {
  const { from, sent, shown, since, touched } = part;
  const stop = (markdown: string, more: Partial<Part>): Move => ({
    kind: 'stop',
    at,
    ts,
    markdown,
    part: { ...part, mode: 'ended', touched: now, ...more },
  });
  const continues = sent <= text.length && digestOf(text, from, sent) === shown;
  if (!continues) return stop('', { shown: '' });

  const end = said.open ? settledEnd(text, sent) : text.length;
  const to = cutAt(text.slice(0, end), from, STREAM_LIMIT, sent);
  const markdown = streamPiece(text, from, sent, to);
  const next = { sent: to, shown: digestOf(text, from, to) };
  if (to < end) return stop(markdown + closing(text, to), { ...next, to });
  if (!said.open) return stop(markdown, next);
  if (to > sent)
    return now - touched < APPEND_MS
      ? undefined
      : { kind: 'append', at, ts, markdown, part: { ...part, ...next, touched: now } };
  return now - touched > STREAM_IDLE_MS || now - since > STREAM_LIFE_MS ? stop('', {}) : undefined;
}

const digestOf = (text: string, from: number, to: number): string => hash(text.slice(from, to), 16);
const digest = (message: Outgoing): string => hash(JSON.stringify(message), 16);
