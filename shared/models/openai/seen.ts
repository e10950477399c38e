import type { Block } from '../../agent/session/slots.ts';
import type { UserPart } from './chat.ts';

/** An image or a document in the form of the API. Its content came from outside, and was checked when it came. */
export function seenIn({ type, source, title }: Block): UserPart[] {
  const { type: how, media_type, data } = (source ?? {}) as Readonly<Record<string, unknown>>;
  const name = String(title ?? 'document');
  if (type === 'document' && how === 'text') return [{ type: 'text', text: `${name}:\n${String(data)}` }];
  if (how !== 'base64') return [];
  const url = `data:${String(media_type)};base64,${String(data)}`;
  if (type === 'image') return [{ type: 'image_url', image_url: { url } }];
  return type === 'document' ? [{ type: 'file', file: { filename: name, file_data: url } }] : [];
}

/** The text of a block, if it has some. */
export const textIn = (block: Block): string[] =>
  block.type === 'text' && typeof block.text === 'string' && block.text !== '' ? [block.text] : [];

/** A result's text; if the result consists of blocks, the text in them. */
export function resultText({ content }: Block): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.flatMap((block: Block) => textIn(block)).join('\n') : '';
}
