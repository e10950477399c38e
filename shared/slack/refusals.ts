/**
 * The reaction to a move that Slack refuses: pure, like `thread.ts`. Nothing is dropped silently.
 *
 * R1. A new message that is too long is shortened; one that is refused for another reason is retried a few times. A
 *     message that is still refused is marked as missing ({@link Posted.unsent}): the status says so.
 * R2. A message that a person has deleted is not repeated. The text that it had not shown yet goes into a new one.
 * R3. A message that Slack does not change keeps what it shows; the rest goes into a new one. (Text that was written
 *     into it before without an answer may be repeated there: better twice than not at all.)
 * R4. Where Slack takes no Markdown, texts are in mrkdwn from then on.
 * R5. Where Slack takes a message with buttons for ratings in no way, texts have none from then on.
 * R6. Where Slack takes no plan of task cards, there are none from then on.
 */

import { isIntact } from './parts.ts';
import type { Becomes, Move, Part, Refused, Thread } from './remembered.ts';
import type { Story } from './story.ts';
import { become, ended, moved, withoutPending } from './thread.ts';

/** The memory after a refusal. */
export interface AfterRefusal {
  readonly thread: Thread;
  /** Not to be tried again for this many ms. */
  readonly againMs?: number;
  /** Slack's error, when something will not be shown. */
  readonly missing?: string;
}

/** Errors for a message that is too long: docs.slack.dev, chat.postMessage and chat.update. */
const TOO_LONG: ReadonlySet<string> = new Set(['msg_too_long', 'msg_blocks_too_long']);
/**
 * Errors for Markdown that Slack does not take: docs.slack.dev, chat.postMessage and chat.update. A server that does not
 * know `markdown_text` finds no text at all.
 */
const NO_MARKDOWN: ReadonlySet<string> = new Set([
  'invalid_arguments',
  'invalid_blocks',
  'invalid_blocks_format',
  'markdown_text_conflict',
  'no_text',
]);
/** Errors that are final: docs.slack.dev, chat.update. */
const UNCHANGEABLE: ReadonlySet<string> = new Set(['cant_update_message', 'edit_window_closed']);
/**
 * Delays until a refused move is tried again, in ms: only a few, since a move that is refused for good blocks the
 * thread.
 */
const WAITS_MS = [5_000, 30_000, 120_000];
/** How often a text that is too long is halved. */
const HALVED = 4;

/** The message no longer exists: a person has deleted it. */
export const isGone = (error: string): boolean => error === 'message_not_found';

/** After a refusal of a message that was to be posted. */
export function refusedPost(
  thread: Thread,
  story: Story,
  move: Extract<Move, { kind: 'post' }>,
  error: string,
): AfterRefusal {
  const before = withoutPending(thread);
  if (isRated(move.becomes)) return { thread: { ...before, rating: 'never' } };
  if (move.message.markdown !== undefined && NO_MARKDOWN.has(error))
    return { thread: { ...before, markdown: 'never' } };
  if (move.becomes.kind === 'cards') return { thread: { ...before, taskCards: 'never' } };
  const refused = oneMore(thread, move.slot, error);
  const again = nextTry(refused, move.becomes.kind === 'part');
  if (again) return { thread: { ...before, refused }, ...again };
  const given = moved(before, story, { ...move, becomes: move.becomes });
  return { thread: withUnsent(given, move, error), missing: error };
}

/** Marks the part of a move that has just become a message without a `ts` as one that could not be sent. */
function withUnsent(thread: Thread, { becomes }: Extract<Move, { kind: 'post' }>, error: string): Thread {
  switch (becomes.kind) {
    case 'status':
      return { ...thread, status: { shown: becomes.shown, unsent: error } };
    case 'ask':
      return { ...thread, asks: { ...thread.asks, [becomes.id]: { shown: becomes.shown, unsent: error } } };
    case 'part':
      return changed(thread, thread.parts.length - 1, (part) => ({ ...part, unsent: error }));
    case 'cards':
    case 'settled':
      return thread;
    default:
      return becomes satisfies never;
  }
}

/** After Slack refused to replace a message. */
export function refusedUpdate(
  thread: Thread,
  story: Story,
  move: Extract<Move, { kind: 'update' }>,
  slot: string,
  error: string,
): AfterRefusal {
  const { becomes } = move;
  const refused = oneMore(thread, slot, error);
  const again = UNCHANGEABLE.has(error) ? undefined : nextTry(refused, becomes.kind === 'part');
  const later: AfterRefusal = { thread: { ...thread, refused }, ...again };
  const { refused: _, ...done } = thread;
  switch (becomes.kind) {
    case 'settled':
      return again && !isGone(error) ? later : { thread: become(done, becomes, undefined) };
    case 'status': {
      const { status } = thread;
      if (isGone(error)) return { thread: { ...done, status: { shown: becomes.shown } } };
      // The next update says more, if there is one.
      if (!story.ending) return { thread: { ...done, status: { ...status, shown: becomes.shown } } };
      return again ? later : { thread: { ...done, status: { shown: '', ...status, closed: true } } };
    }
    case 'part': {
      const { at = -1 } = becomes;
      if (isGone(error)) return { thread: changed(done, at, gone) };
      if (isRated(becomes)) return { thread: { ...done, rating: 'never' } };
      // A streamed text is long, and Slack may not accept that much in an update.
      const part = thread.parts[at];
      if (NO_MARKDOWN.has(error) && (part?.mode === 'ended' || part?.mode === 'markdown'))
        return { thread: changed({ ...done, markdown: 'never' }, at, asPost) };
      if (part?.mode === 'ended') return { thread: changed(done, at, asPost) };
      const isFull = refused.tooLong && part && isIntact(story, part);
      if (again && !isFull) return later;
      const kept = changed(done, at, (part) => ({ ...part, closed: true }));
      return { thread: UNCHANGEABLE.has(error) ? { ...kept, edits: 'never' } : kept };
    }
    // The status says the same.
    case 'cards':
      return {
        thread: {
          ...done,
          ...(thread.cards && { cards: { ...thread.cards, mode: 'off' } }),
          ...(NO_MARKDOWN.has(error) && { taskCards: 'never' }),
          ...(UNCHANGEABLE.has(error) && { edits: 'never' }),
        },
      };
    case 'ask':
      return { thread: done };
    default:
      return becomes satisfies never;
  }
}

/** After a stream refused more text, or did not answer: only what it had before is certain. */
export function failedStream(
  thread: Thread,
  { at, part }: Extract<Move, { kind: 'append' | 'stop' }>,
  error?: string,
): Thread {
  if (error !== undefined && isGone(error)) return changed(thread, at, gone);
  const next = changed(thread, at, ended);
  return error !== undefined && part.rated ? { ...next, rating: 'never' } : next;
}

const isRated = (becomes: Becomes): boolean => becomes.kind === 'part' && becomes.part.rated === true;

/** A message that a person has deleted stands for what it had shown. */
const gone = ({ ts: _, to: __, ...part }: Part): Part => ({ ...part, mode: 'post' });

const asPost = ({ to: _, ...part }: Part): Part => ({ ...part, mode: 'post', stale: true });

const changed = (thread: Thread, at: number, how: (part: Part) => Part): Thread => ({
  ...thread,
  parts: thread.parts.map((part, i) => (i === at ? how(part) : part)),
});

function oneMore({ refused }: Thread, slot: string, error: string): Refused {
  const times = refused?.slot === slot ? refused.times + 1 : 1;
  return { slot, times, tooLong: TOO_LONG.has(error) };
}

/** When it is tried again; undefined when it has been tried often enough. */
function nextTry({ times, tooLong }: Refused, canBeCut: boolean): { againMs?: number } | undefined {
  if (tooLong && canBeCut) return times <= HALVED ? {} : undefined;
  const againMs = WAITS_MS[times - 1];
  return againMs === undefined ? undefined : { againMs };
}
