import { memoize } from '../plain/memoize.ts';
import { wellFormed } from '../plain/well-formed.ts';
import { givenOf, withoutGiven } from '../session/given.ts';
import { isThinking, sendable, unbroken } from '../session/reply.ts';
import type { Block, ModelSlot } from '../session/slots.ts';
import type { Part } from './joined.ts';
import { isOmitted, type Omission } from './omissions.ts';
import type { Reading } from './reading.ts';

const nothing: Part = [];

/**
 * The blocks of a reply that a model reads, before its server tools are paired. Its own model reads all of them, and after a fold
 * those that do not belong to the previous context. Any other model reads the texts and the calls. Replies that older versions
 * stored are mended here.
 */
export function repliedIn(
  { fallback, fold, withoutThinking }: Reading,
  { reply }: ModelSlot,
  omission: Omission | undefined,
): Part {
  if (!reply || omission?.reply === 'all') return nothing;
  const content = mended(reply.content);
  const isOther = (reply.fallback ?? 0) !== fallback || withoutThinking;
  const own = reply.fold === fold ? content : unboundOf(content);
  const read = isOther ? spokenOf(content) : own;
  return omission?.reply ? sendable(withoutParts(read, reply.content, omission.reply)) : read;
}

const mended = memoize((content: Part): Part => sendable(wellFormed(unbroken(content))));

const spokenOf = memoize(
  (content: Part): Part => content.filter((block) => !isThinking(block)).map(withoutGiven),
);

/** Thinking that came in a field of a message has no signature, and some servers refuse a conversation without it. */
const unboundOf = memoize(
  (content: Part): Part => content.filter((block) => !isThinking(block) || givenOf(block).as !== undefined),
);

/** A call keeps its place, without its input, because its result follows it. */
function withoutParts(read: Part, stored: Part, which: ReadonlySet<number> | 'all'): Part {
  const refused = new Set(stored.filter((_, at) => isOmitted(which, at)).map(idOf));
  return read.flatMap((block): Block[] => {
    if (!refused.has(idOf(block))) return [block];
    return block.type === 'tool_use' ? [{ type: 'tool_use', id: block.id, name: block.name, input: {} }] : [];
  });
}

/** Blocks are compared by their content: mending makes new objects of them. */
const idOf = (block: Block): string => JSON.stringify(withoutGiven(wellFormed(block)));
