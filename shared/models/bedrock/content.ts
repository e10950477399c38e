import type { Message } from '../../agent/ports/provider.ts';
import type { Block } from '../../agent/session/slots.ts';
import { seenIn } from '../openai/seen.ts';
import type { Content } from './wire.ts';

/** The content of a block that is text, an image or a document; none if it is blank or something else. */
export function contentOf(block: Block, names: readonly string[]): Content[] {
  if (block.type === 'text') return textOf(block.text);
  const { type, media_type: mediaType, data } = sourceOf(block);
  if (type !== 'base64')
    return seenIn(block).flatMap((part) => (part.type === 'text' ? textOf(part.text) : []));
  const source = { bytes: String(data) };
  if (block.type === 'image')
    return [{ image: { format: String(mediaType).replace(/^image\//, ''), source } }];
  return isDocument(block) ? [{ document: { format: 'pdf', name: names[0] ?? 'document', source } }] : [];
}

const textOf = (text: unknown): Content[] =>
  typeof text === 'string' && text.trim() !== '' ? [{ text }] : [];

const sourceOf = ({ source }: Block): Readonly<Record<string, unknown>> =>
  (source ?? {}) as Readonly<Record<string, unknown>>;

const isDocument = (block: Block): boolean => block.type === 'document' && sourceOf(block).type === 'base64';

/** The documents that are sent as such, in a block or in a result. */
export const documentsIn = (block: Block): readonly Block[] => {
  if (Array.isArray(block.content)) return (block.content as readonly Block[]).filter(isDocument);
  return isDocument(block) ? [block] : [];
};

/**
 * Returns the names of a message's documents: ask once for each message, in order. A name has at most 200 letters, digits,
 * single spaces, hyphens, parentheses and brackets (vercel/ai#20365), and each is unique in its request
 * (anomalyco/opencode#48756).
 */
export function nameDocuments(): (message: Message) => readonly string[] {
  const taken = new Set<string>();
  return ({ content }) =>
    content.flatMap(documentsIn).map(({ title }) => {
      const base = soundName(typeof title === 'string' ? title : '');
      let name = base;
      for (let n = 2; taken.has(name); n++) name = `${base} ${n}`;
      taken.add(name);
      return name;
    });
}

const soundName = (title: string): string =>
  title
    .replace(/\.\w{1,5}$/, '')
    .replace(/[^A-Za-z0-9()[\]-]+/g, ' ')
    .trim()
    .slice(0, 190)
    .trimEnd() || 'document';
