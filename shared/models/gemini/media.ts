import type { Block } from '../../agent/session/slots.ts';
import { seenIn } from '../openai/seen.ts';
import type { InlineData } from './wire.ts';

/** An image or a document as Gemini reads it, or the text that stands in its place. */
export type Medium = InlineData | { readonly text: string };

/**
 * Types that Gemini reads (ai.google.dev/gemini-api/docs/image-understanding, "Supported image formats"). A GIF is refused
 * with the whole request (microsoft/vscode#286628).
 */
const READ: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/heic',
  'image/heif',
  'application/pdf',
]);

/** The media in a block. A text document becomes a text. */
export function mediaIn(block: Block): Medium[] {
  const { type, media_type: mimeType, data } = (block.source ?? {}) as Readonly<Record<string, unknown>>;
  if (type !== 'base64')
    return seenIn(block).flatMap((part) => (part.type === 'text' ? [{ text: part.text }] : []));
  if (typeof mimeType !== 'string' || typeof data !== 'string') return [];
  return READ.has(mimeType)
    ? [{ inlineData: { mimeType, data } }]
    : [{ text: `(A file of the type ${mimeType}, which this model does not read.)` }];
}

export const isInline = (medium: Medium): medium is InlineData => 'inlineData' in medium;
