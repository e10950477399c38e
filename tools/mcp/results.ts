import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { type ShownImage, withImages } from '../../shared/agent/define/index.ts';
import { parseExactly } from '../../shared/agent/plain/digits.ts';

/**
 * A tool's answer, as the model reads it. Structured content is given as JSON if no text says the same. Links are named
 * and not followed: their author decides where they lead. Pure.
 *
 * @param nothing what an answer without words says
 */
export function textOf({ content, structuredContent }: CallToolResult, nothing = 'ok'): string {
  const parts = content.map(shown);
  if (structuredContent !== undefined && !content.some((block) => saysTheSame(block, structuredContent)))
    parts.push(JSON.stringify(structuredContent));
  const said = parts.join('\n');
  return said.trim() === '' ? nothing : said;
}

/** A tool's answer as a result: its text, and the images in it. Pure. */
export function shownOf(answered: CallToolResult): unknown {
  const images = imagesOf(answered);
  const text = textOf(answered);
  return images.length > 0 ? withImages(text, images) : text;
}

/**
 * The images of an answer, including embedded ones, which the model sees beside its text. The core reports those that
 * turn out not to be images.
 */
const imagesOf = ({ content }: CallToolResult): ShownImage[] =>
  content.flatMap(imageIn).map((data, i) => ({ bytes: Buffer.from(data, 'base64'), name: `image-${i + 1}` }));

function imageIn(block: ContentBlock): string[] {
  if (block.type === 'image') return [block.data];
  return block.type === 'resource' && isImage(block.resource) ? [block.resource.blob] : [];
}

type Embedded = Extract<ContentBlock, { type: 'resource' }>['resource'];

const isImage = (resource: Embedded): resource is Extract<Embedded, { blob: string }> =>
  'blob' in resource && (resource.mimeType?.startsWith('image/') ?? false);

function shown(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
      return `[${block.mimeType}, ${sizeOf(block.data)}]`;
    case 'audio':
      return `[${block.mimeType}, ${sizeOf(block.data)}, not shown]`;
    case 'resource_link':
      return `[a resource: ${[block.title ?? block.name, block.uri, block.mimeType, block.description].filter(Boolean).join(', ')}]`;
    case 'resource':
      return 'text' in block.resource
        ? `[the resource ${block.resource.uri}]\n${block.resource.text}`
        : `[the resource ${block.resource.uri}: ${block.resource.mimeType ?? 'binary'}, ${sizeOf(block.resource.blob)}${isImage(block.resource) ? '' : ', not shown'}]`;
    default:
      return block satisfies never;
  }
}

const sizeOf = (base64: string): string =>
  `${Math.floor((base64.replace(/=+$/, '').length * 3) / 4).toLocaleString('en-US')} bytes`;

function saysTheSame(block: ContentBlock, structured: unknown): boolean {
  if (block.type !== 'text') return false;
  try {
    return JSON.stringify(parseExactly(block.text)) === JSON.stringify(structured);
  } catch {
    return false;
  }
}
