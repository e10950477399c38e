import { memoize } from '../plain/memoize.ts';
import type { Message } from '../ports/provider.ts';
import type { Attachment } from '../session/attachments.ts';
import type { Block } from '../session/slots.ts';
import { texts } from '../texts.ts';

/**
 * Represents an image or a document in a message until the request is sent (`step/model/media.ts`). In history it is a few bytes,
 * always the same ones.
 */
export interface MediaBlock extends Block {
  readonly type: 'image' | 'document';
  readonly source: Placeholder;
}

interface Placeholder {
  readonly type: 'steploop';
  readonly hash: string;
  readonly media_type: string;
  readonly name: string;
  readonly bytes: number;
  /** An estimate of the tokens that the model reads for it. */
  readonly tokens: number;
  /** The longer side of an image, in pixels. */
  readonly side?: number;
}

/** The blocks that the model reads for attachments: a line that names each, and each that it can see. */
export const attachedBlocks = (attachments: readonly Attachment[]): Block[] =>
  attachments.flatMap((one) => {
    const line = { type: 'text', text: texts.attached(one) };
    return one.as === 'file' ? [line] : [line, placeholder(one.as, one)];
  });

/** The same for a model whose server has refused it. */
export const refusedBlocks = (attachments: readonly Attachment[]): Block[] =>
  attachments.map((one) => ({
    type: 'text',
    text: one.as === 'file' ? texts.attached(one) : texts.notShown(one, 'the server of the model refused it'),
  }));

function placeholder(type: MediaBlock['type'], one: Attachment): MediaBlock {
  const { hash, mediaType, name, bytes, width, height } = one;
  const side = Math.max(width ?? 0, height ?? 0);
  const about = { hash, media_type: mediaType, name, bytes, tokens: tokensOf(one) };
  return { type, source: { type: 'steploop', ...about, ...(side > 0 && { side }) } };
}

/** Tokens of an image: its pixels divided by 750, and at most 1,600, to which servers shrink it (Anthropic, "Vision"). */
const PIXELS_PER_TOKEN = 750;
const MAX_IMAGE_TOKENS = 1_600;
/** Tokens of a PDF's page, as text and as an image (Anthropic, "PDF support": 1,500 to 3,000 for the text alone). */
const PAGE_TOKENS = 3_000;
/** Bytes of a page if the pages could not be counted. */
const PAGE_BYTES = 100_000;

function tokensOf({ as, mediaType, bytes, width = 1_000, height = 1_000, pages }: Attachment): number {
  if (as === 'image') return Math.min(MAX_IMAGE_TOKENS, Math.ceil((width * height) / PIXELS_PER_TOKEN));
  if (mediaType === 'application/pdf') return (pages ?? Math.ceil(bytes / PAGE_BYTES)) * PAGE_TOKENS;
  return Math.ceil(bytes / 4);
}

export const isMedia = (block: Block): block is MediaBlock =>
  (block.type === 'image' || block.type === 'document') &&
  (block.source as { readonly type?: unknown } | undefined)?.type === 'steploop';

/** Whether it is a text: code, a table, prose. */
export const isTextDocument = ({ type, source }: MediaBlock): boolean =>
  type === 'document' && source.media_type !== 'application/pdf';

/** The media of a message, including those in results. */
export const mediaIn = memoize(({ content }: Message): readonly MediaBlock[] =>
  content
    .flatMap((block): readonly Block[] => (Array.isArray(block.content) ? block.content : [block]))
    .filter(isMedia),
);

/** Tokens of blocks that count for more than their own characters. */
export const mediaTokens = (message: Message): number =>
  mediaIn(message).reduce((sum, { source }) => sum + source.tokens, 0);

/** The stored message, by the message that is sent in its place. */
const stored = new WeakMap<Message, Message>();

/** The message with other blocks, to be sent. It is measured as the message that it replaces. */
export function replacing(message: Message, content: readonly Block[]): Message {
  const sent = { ...message, content };
  stored.set(sent, message);
  return sent;
}

/** The message as it is in history. */
export const storedAs = (message: Message): Message => stored.get(message) ?? message;
