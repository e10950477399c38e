import { memoize } from '../plain/memoize.ts';
import type { Message } from '../ports/provider.ts';
import type { Attachment } from '../session/attachments.ts';
import type { Block } from '../session/slots.ts';
import { texts } from '../texts.ts';

/**
 * What stands in a message for an image or a document, until the request is sent (`step/model/media.ts`): of history it is a few
 * bytes, always the same ones.
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
  /** What the model will have to read for it, about. */
  readonly tokens: number;
  /** The longer side of an image, in pixels. */
  readonly side?: number;
}

/** What the model reads of what was sent: a line that names each, and each that it can see. */
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

/** Tokens of an image: its pixels by 750, and 1,600 at most, to which servers shrink it (Anthropic, "Vision"). */
const PIXELS_PER_TOKEN = 750;
const MAX_IMAGE_TOKENS = 1_600;
/** Tokens of a PDF's page, as text and as an image (Anthropic, "PDF support": 1,500 to 3,000 for the text alone). */
const PAGE_TOKENS = 3_000;
/** Bytes of a page where nobody could count them. */
const PAGE_BYTES = 100_000;

function tokensOf({ as, mediaType, bytes, width = 1_000, height = 1_000, pages }: Attachment): number {
  if (as === 'image') return Math.min(MAX_IMAGE_TOKENS, Math.ceil((width * height) / PIXELS_PER_TOKEN));
  if (mediaType === 'application/pdf') return (pages ?? Math.ceil(bytes / PAGE_BYTES)) * PAGE_TOKENS;
  return Math.ceil(bytes / 4);
}

export const isMedia = (block: Block): block is MediaBlock =>
  (block.type === 'image' || block.type === 'document') &&
  (block.source as { readonly type?: unknown } | undefined)?.type === 'steploop';

/** Of a message, those that stand in results too. */
export const mediaIn = memoize(({ content }: Message): readonly MediaBlock[] =>
  content
    .flatMap((block): readonly Block[] => (Array.isArray(block.content) ? block.content : [block]))
    .filter(isMedia),
);

/** Tokens of what stands for more than its own characters. */
export const mediaTokens = (message: Message): number =>
  mediaIn(message).reduce((sum, { source }) => sum + source.tokens, 0);

/** What is sent in the place of a message, by what is sent. */
const stored = new WeakMap<Message, Message>();

/** The message with other blocks, to be sent. It is measured as what it stands for. */
export function replacing(message: Message, content: readonly Block[]): Message {
  const sent = { ...message, content };
  stored.set(sent, message);
  return sent;
}

/** The message as history has it. */
export const storedAs = (message: Message): Message => stored.get(message) ?? message;
