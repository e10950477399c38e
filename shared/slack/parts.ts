/**
 * How the texts of a run stand in the thread, message by message: {@link nextOfTexts} finds the first piece that does
 * not stand there as it should.
 *
 * P1. The messages of a text are read in order, and each begins where the one before it ends. A message that can be
 *     changed shows what it has room for; the rest is in the next one.
 * P2. A message that cannot be changed (a person has deleted it, Slack accepts no more edits, it was never accepted)
 *     stands for the text that it has shown, if the text is still the same; otherwise for none of it.
 * P3. Room is counted in what is sent, by the rule of the method that sends it, or that will change it later.
 */

import { hash } from '../agent/plain/hash.ts';
import { toMrkdwn } from './markdown.ts';
import type { Block, Outgoing } from './outgoing.ts';
import { awaitsEnd, ratingBelow, withRating } from './rating.ts';
import type { Move, Pace, Part, Thread } from './remembered.ts';
import { excerpt, seamAt } from './seams.ts';
import { cutWhere, settledEnd } from './split.ts';
import type { Story, StoryMessage } from './story.ts';
import { streamPiece, toPostMarkdown, toStreamMarkdown } from './stream-markdown.ts';
import { isInCode } from './tree.ts';

/**
 * Limit of a text in mrkdwn: bytes in UTF-8 with `&`, `<` and `>` escaped. `chat.update` takes 4,000 of them
 * (gitlab-org/gitlab!258898) and answers `msg_too_long` to more. `chat.postMessage` takes 40,000 characters, but a
 * posted message may have to be changed.
 */
export const POST_BYTES = 3_900;
/**
 * Limit of Markdown, in characters (docs.slack.dev, `markdown_text` of chat.postMessage, chat.update and the methods of
 * streams: 12,000; "Markdown block": 12,000 for all blocks of a message together).
 */
export const MARKDOWN_LIMIT = 11_900;
/**
 * Limit of all Markdown of one stream, in characters: below {@link MARKDOWN_LIMIT}, since it may have to be rewritten.
 */
export const STREAM_LIMIT = 11_500;
/**
 * Time between two updates of one message, in ms (chat.update: 50 and more a minute, and one message a second in a
 * channel).
 */
export const UPDATE_MS = 1_200;
/** Time between two appends, in ms (chat.appendStream: 100 and more a minute). */
export const APPEND_MS = 700;
/**
 * A stream without an append for this long is stopped, in ms, and so is one that lives for this long. Slack closes
 * streams by itself after about 30 s and 5 minutes, and the message then shows an error for ever (undocumented;
 * reported in vercel/chat#607 and vercel/eve#4028).
 */
export const STREAM_IDLE_MS = 20_000;
export const STREAM_LIFE_MS = 240_000;
/**
 * Blank characters in a row that are left out at the beginning of a message: it might otherwise consist of nothing
 * else.
 */
const BLANKS = 100;

/** The first text that does not stand in the thread as it should. */
export function nextOfTexts(story: Story, thread: Thread, pace: Pace): Move | undefined {
  // A message whose text is no longer in the story was read from an attempt that was already dead.
  const count = Math.max(story.said.length, ...thread.parts.map(({ said }) => said + 1));
  for (let n = 0; n < count; n++) {
    const move = nextOfText(story, n, story.said[n] ?? nothingSaid, thread, pace);
    if (move) return move;
  }
  return undefined;
}

const nothingSaid: StoryMessage = { messageId: '', text: '', open: false, retracted: true };

/** The piece of a text that is examined. */
interface Look {
  readonly story: Story;
  readonly thread: Thread;
  readonly said: StoryMessage;
  readonly text: string;
  readonly pace: Pace;
}

function nextOfText(
  story: Story,
  n: number,
  said: StoryMessage,
  thread: Thread,
  pace: Pace,
): Move | undefined {
  const text = said.retracted ? '' : said.text;
  const look: Look = { story, thread, said, text, pace };
  let at = beginning(text, 0);
  for (const [index, part] of thread.parts.entries()) {
    if (part.said !== n) continue;
    const { ts } = part;
    if (ts === undefined || part.closed) {
      if (isShown(text, part, at)) at = beginning(text, part.sent);
      continue;
    }
    const placed = part.from === at ? part : displaced(part, at);
    const move =
      part.mode === 'stream' ? nextOfStream(look, placed, index, ts) : nextOfPart(look, placed, index, ts);
    if (move) return move;
    at = placed.to === undefined ? text.length : beginning(text, placed.to);
  }
  return at < text.length ? newPart(look, n, at) : undefined;
}

/** Where the next message begins. */
function beginning(text: string, at: number): number {
  const blank = /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
  return blank > BLANKS && !isInCode(text, at) ? at + blank : at;
}

/** A message that must begin elsewhere in its text from now on, because one before it has more room, or less. */
function displaced({ to: _, ...part }: Part, from: number): Part {
  return { ...part, from, stale: true };
}

/** Whether a message shows its piece of the text as it is now. */
export function isIntact({ said }: Story, part: Part): boolean {
  const { text, retracted } = said[part.said] ?? nothingSaid;
  return !part.stale && isShown(retracted ? '' : text, part, part.from);
}

const isShown = (text: string, { from, sent, shown }: Part, at: number): boolean =>
  from === at && sent <= text.length && digestOf(text, from, sent) === shown;

/** Begins a message: as a stream when it may grow and streams are allowed here, else as a post. */
function newPart({ story, thread, said, text, pace }: Look, n: number, from: number): Move | undefined {
  const native = thread.streams === 'yes' && said.open;
  const whole = text.slice(0, said.open ? settledEnd(text, from) : text.length);
  const slot = `${story.runId}/${n}/${thread.parts.length}`;
  const mode = thread.markdown === 'never' ? 'post' : 'markdown';
  const to = native ? streamEnd(whole, from) : partEnd(whole, from, mode, tooLong(thread, slot));
  // A message must have content; blanks at the end of a text need no message.
  if (whole.slice(from, to).trim() === '') return undefined;
  const shown = digestOf(text, from, to);
  const part = { said: n, from, sent: to, shown, since: pace.now, touched: pace.now };
  if (native) {
    const markdown = streamPiece(text, from, from, to);
    const begun = { ...part, mode: 'stream', size: markdown.length } as const;
    return { kind: 'start', slot, markdown, becomes: { kind: 'part', part: begun } };
  }
  // Where messages cannot be changed, one is posted when it is full, or when its text is complete.
  if (thread.edits === 'never' && said.open && to >= whole.length) return undefined;
  const cut = to < whole.length ? { to } : {};
  const content = contentOf(mode, excerpt(text, from, to));
  const rating = to === text.length && mode === 'markdown' ? ratingBelow(story, thread, n) : undefined;
  const message = rating ? withRating(content, rating) : content;
  const posted: Omit<Part, 'ts'> = { ...part, ...cut, ...(rating && { rated: true }), mode };
  return { kind: 'post', slot, message, becomes: { kind: 'part', part: posted } };
}

function nextOfPart(look: Look, part: Part, at: number, ts: string): Move | undefined {
  const { story, thread, said, text, pace } = look;
  // A text that replaces a longer one may end before this part begins.
  const end = said.open ? Math.min(settledEnd(text, part.from), text.length) : text.length;
  const isRight = isIntact(story, part);
  const rating = mayBeRated(part, thread) ? ratingBelow(story, thread, part.said) : undefined;
  const isUnrated = rating !== undefined && !part.rated;
  if (isRight && (part.sent >= end ? !isUnrated : part.sent === part.to)) return undefined;
  const whole = text.slice(0, end);
  // Text that has been shown stays where it is.
  const least = isRight ? part.sent : part.from;
  const to = partEnd(whole, part.from, part.mode, tooLong(thread, updateSlot(ts)), least);
  const body = excerpt(text, part.from, to);
  const isRated = rating !== undefined && to === text.length && body.trim() !== '';
  const content = messageOf(story, part, body);
  const message = isRated ? withRating(content, rating) : content;
  // The replacement of a retracted text depends on whether the run goes on.
  const shown = body.trim() === '' ? digest(message) : digestOf(text, part.from, to);
  if (shown === part.shown && !part.stale && to >= end && !(isRated && isUnrated)) return undefined;
  const growing = said.open && to >= end;
  if (growing && pace.now - pace.updatedAt < UPDATE_MS) return undefined;
  const { to: _, stale: __, rated: ___, ...rest } = part;
  const next: Omit<Part, 'ts'> = {
    ...rest,
    ...(to < end && { to }),
    ...(isRated && { rated: true }),
    sent: to,
    shown,
    touched: pace.now,
  };
  return { kind: 'update', ts, message, becomes: { kind: 'part', part: next, at } };
}

/** Whether a message may get buttons later: Slack must allow edits, and take Markdown. */
const mayBeRated = ({ mode }: Part, { edits }: Thread): boolean => mode !== 'post' && edits !== 'never';

/** The replacement of a message. It cannot be empty: if a text was retracted for good, a note stays. */
function messageOf({ ending }: Story, part: Part, body: string): Outgoing {
  if (body.trim() === '')
    return { text: ending ? '_This part was retracted._' : '_One moment: trying again._' };
  return contentOf(part.mode, body);
}

/** A piece of a text as it is sent. Where Slack must not fetch links it is told so, and they stay links. */
function contentOf(mode: Part['mode'], body: string): Outgoing {
  const text = toMrkdwn(body);
  switch (mode) {
    case 'post':
      return { text };
    case 'markdown':
      return { text, markdown: toPostMarkdown(body) };
    case 'ended':
    case 'stream':
      return { text, markdown: toStreamMarkdown(body) };
    default:
      return mode satisfies never;
  }
}

function nextOfStream(look: Look, part: Part, at: number, ts: string): Move | undefined {
  const { story, thread, said, text, pace } = look;
  const { now } = pace;
  const { from, sent, since, touched } = part;
  const stop = (markdown: string, more: Partial<Part>, rating?: Block): Move => ({
    kind: 'stop',
    at,
    ts,
    markdown,
    ...(rating && { blocks: [rating] }),
    part: { ...part, mode: 'ended', touched: now, ...more, ...(rating && { rated: true }) },
  });
  if (part.stale || !isShown(text, part, from)) return stop('', { stale: true });

  const whole = text.slice(0, said.open ? settledEnd(text, sent) : text.length);
  const size = part.size ?? streamPiece(text, from, from, sent).length;
  const to = streamEnd(whole, from, sent, size);
  const markdown = streamPiece(text, from, sent, to);
  const next = { sent: to, shown: digestOf(text, from, to), size: size + markdown.length };
  if (to < whole.length) return stop(markdown + seamAt(text, to).close, { ...next, to });
  const isLast = !said.open && !awaitsEnd(story, thread, part.said, to > sent ? 0 : now - touched);
  if (isLast) return stop(markdown, next, ratingBelow(story, thread, part.said));
  if (to > sent)
    return now - touched < APPEND_MS
      ? undefined
      : { kind: 'append', at, ts, markdown, part: { ...part, ...next, touched: now } };
  return now - touched > STREAM_IDLE_MS || now - since > STREAM_LIFE_MS ? stop('', {}) : undefined;
}

/** Where a stream is full that shows the text from `from` to `sent`, in `size` characters. */
const streamEnd = (text: string, from: number, sent = from, size = 0): number =>
  cutWhere(
    text,
    from,
    STREAM_LIMIT,
    (to) => size + streamPiece(text, from, sent, to).length + seamAt(text, to).close.length <= STREAM_LIMIT,
    sent,
  );

/** Where a message is full that is posted, or rewritten. `halved`: how often Slack has found this message too long. */
function partEnd(text: string, from: number, mode: Part['mode'], halved: number, least = from): number {
  const most = (mode === 'post' ? POST_BYTES : MARKDOWN_LIMIT) >> halved;
  return cutWhere(text, from, most, (to) => sizeOf(contentOf(mode, excerpt(text, from, to))) <= most, least);
}

/** The size as Slack counts it: of Markdown characters, of mrkdwn bytes. */
const sizeOf = ({ text, markdown }: Outgoing): number => markdown?.length ?? escapedBytes(text);

const tooLong = ({ refused }: Thread, slot: string): number =>
  refused?.slot === slot && refused.tooLong ? refused.times : 0;

/** The name of an update of a message, as slots name those that are posted. */
export const updateSlot = (ts: string): string => `update/${ts}`;

/**
 * The size as Slack counts mrkdwn: it escapes each `<` and `>` that is not escaped, which here are in links and quotes.
 */
const escapedBytes = (mrkdwn: string): number =>
  Buffer.byteLength(mrkdwn) + 3 * (mrkdwn.match(/[<>]/g)?.length ?? 0);

const digestOf = (text: string, from: number, to: number): string => hash(text.slice(from, to), 16);
export const digest = (message: Outgoing): string => hash(JSON.stringify(message), 16);
