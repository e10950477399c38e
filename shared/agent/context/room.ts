import type { Message } from '../ports/provider.ts';
import { modelAt, type PinnedModel } from '../session/pinned.ts';
import type { ContextInputs } from './asked.ts';
import { isTextDocument, type MediaBlock, mediaIn } from './media.ts';
import { toMessages } from './messages.ts';
import { readingOf } from './reading.ts';
import { limitOf } from './size.ts';

/**
 * Characters of base64 in one request. Anthropic accepts 32 MB per request, which includes the conversation ("Request size
 * limits").
 */
export const MAX_REQUEST_CHARS = 24_000_000;
/** Images and documents in one request, for every current model (Anthropic, "Vision": 100, for windows of 200,000 tokens). */
const MAX_IN_REQUEST = 100;
/** With more images than this, none may be larger than this many pixels a side (Anthropic, "Vision"). */
const MANY = 20;
const MAX_SIDE_OF_MANY = 2_000;

type Takes = Pick<PinnedModel, 'provider' | 'accepts'>;

/** Whether a model accepts media of a type: by its definition, or else as every model of its API does. */
export const takesType = ({ provider, accepts }: Takes, type: MediaBlock['type']): boolean =>
  accepts ? accepts.includes(type) : provider === 'anthropic';

/** Whether a model reads a block: a text is read by all. */
const reads = (model: Takes, block: MediaBlock): boolean =>
  isTextDocument(block) || takesType(model, block.type);

const charsOf = ({ source }: MediaBlock): number => Math.ceil(source.bytes / 3) * 4;
const isLarge = ({ source }: MediaBlock): boolean => (source.side ?? 0) > MAX_SIDE_OF_MANY;

/** Says for one block after the other why it is left out. The decision on a block does not depend on later ones. */
export function roomFor(model: Takes): (block: MediaBlock) => string | undefined {
  let chars = 0;
  let count = 0;
  let hasLarge = false;
  return (block) => {
    if (!reads(model, block)) return `this model reads no ${block.type}s`;
    if (chars + charsOf(block) > MAX_REQUEST_CHARS || count >= MAX_IN_REQUEST)
      return 'there is no room for more of them in this conversation';
    if (count >= MANY && (isLarge(block) || hasLarge))
      return `of more than ${MANY} none may be larger than ${MAX_SIDE_OF_MANY} pixels a side`;
    chars += charsOf(block);
    count++;
    hasLarge ||= isLarge(block);
    return undefined;
  };
}

/** The share of a request's room that images and documents take; above 1 not all of them can be shown. */
function shareOf(messages: readonly Message[], model: Takes): number {
  const shown = messages.flatMap(mediaIn).filter((block) => reads(model, block));
  const chars = shown.reduce((sum, block) => sum + charsOf(block), 0);
  const most = shown.some(isLarge) ? MANY : MAX_IN_REQUEST;
  return Math.max(chars / MAX_REQUEST_CHARS, shown.length / most);
}

/**
 * Tokens of the limit that images and documents in messages fill: an image may be many bytes and few tokens. Never more than the
 * limit, since media without room are named instead: nothing is too long for it.
 */
export function roomTaken(
  messages: readonly Message[],
  { pinned, session }: Pick<ContextInputs, 'pinned' | 'session'>,
): number {
  const { fallback } = readingOf(session, pinned);
  return Math.floor(Math.min(1, shareOf(messages, modelAt(pinned, fallback))) * limitOf(pinned, fallback));
}

/** The fullness of a context: its tokens, or the part of the limit that its images and documents fill, if that is more. */
export function fullness(tokens: number, asked: ContextInputs): number {
  const { slots, waiting, session, pinned } = asked;
  return Math.max(tokens, roomTaken(toMessages(slots, waiting, readingOf(session, pinned)), asked));
}
