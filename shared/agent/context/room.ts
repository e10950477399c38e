import type { Message } from '../ports/provider.ts';
import { modelAt, type PinnedModel } from '../session/pinned.ts';
import type { Asked } from './asked.ts';
import { type MediaBlock, mediaIn } from './media.ts';
import { toMessages } from './messages.ts';
import { readingOf } from './reading.ts';
import { limitOf } from './size.ts';

/**
 * Characters of base64 in one request. Anthropic takes 32 MB of a request, and the conversation is in it too ("Request size
 * limits").
 */
export const MAX_REQUEST_CHARS = 24_000_000;
/** Images and documents in one request, for every current model (Anthropic, "Vision": 100, for windows of 200,000 tokens). */
const MAX_IN_REQUEST = 100;
/** Of more images than these none may be larger than so many pixels a side (Anthropic, "Vision"). */
const MANY = 20;
const MAX_SIDE_OF_MANY = 2_000;

type Takes = Pick<PinnedModel, 'provider' | 'accepts'>;

/** What a model takes beside text: by its definition, or else what every model of its API does. */
const acceptedBy = ({ provider, accepts }: Takes): ReadonlySet<string> =>
  new Set(accepts ?? (provider === 'anthropic' ? ['image', 'document'] : []));

const charsOf = ({ source }: MediaBlock): number => Math.ceil(source.bytes / 3) * 4;
const isLarge = ({ source }: MediaBlock): boolean => (source.side ?? 0) > MAX_SIDE_OF_MANY;

/** Says of one after the other why it is left out: of what comes first it hangs on nothing that comes later. */
export function roomFor(model: Takes): (block: MediaBlock) => string | undefined {
  const accepted = acceptedBy(model);
  let chars = 0;
  let count = 0;
  let hasLarge = false;
  return (block) => {
    if (!accepted.has(block.type)) return `this model reads no ${block.type}s`;
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

/** How much of the room of a request is taken by what is shown in it, as a share; above 1 not all of it can be shown. */
function shareOf(messages: readonly Message[], model: Takes): number {
  const accepted = acceptedBy(model);
  const shown = messages.flatMap(mediaIn).filter(({ type }) => accepted.has(type));
  const chars = shown.reduce((sum, block) => sum + charsOf(block), 0);
  const most = shown.some(isLarge) ? MANY : MAX_IN_REQUEST;
  return Math.max(chars / MAX_REQUEST_CHARS, shown.length / most);
}

/**
 * Tokens of the limit that messages fill by what is shown in them: an image may be many bytes and few tokens. Never more than the
 * limit, since what has no room is named instead: nothing is too long for it.
 */
export function roomTaken(
  messages: readonly Message[],
  { pinned, session }: Pick<Asked, 'pinned' | 'session'>,
): number {
  const { fallback } = readingOf(session, pinned);
  return Math.floor(Math.min(1, shareOf(messages, modelAt(pinned, fallback))) * limitOf(pinned, fallback));
}

/** The tokens of a context, or of the limit what is shown in it, if that is more: so full it is. */
export function fullness(tokens: number, asked: Asked): number {
  const { slots, waiting, session, pinned } = asked;
  return Math.max(tokens, roomTaken(toMessages(slots, waiting, readingOf(session, pinned)), asked));
}
