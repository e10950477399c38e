/** The content of a user's AG-UI message: text, or parts of several kinds (`ContentPart` of `@ag-ui/core`). */

import type { AgUiEvent, SnapshotMessage } from './events.ts';
import type { AttachmentInfo } from './message.ts';

/** Where the bytes of a part come from. */
export type MediaSource =
  | { readonly kind: 'base64'; readonly base64: string }
  | { readonly kind: 'url'; readonly url: string }
  /** The `id` of an upload (`POST /uploads`). */
  | { readonly kind: 'upload'; readonly id: string };

/** A part that is not text. */
export interface MediaPart {
  readonly as: 'image' | 'document' | 'file';
  readonly name: string;
  /** As the sender names it, if they do. */
  readonly mediaType?: string;
  readonly source: MediaSource;
}

export interface SaidContent {
  /** All texts, on separate lines. */
  readonly text: string;
  readonly media: readonly MediaPart[];
}

/** The content of a message; undefined when some of it is not a part that AG-UI defines. */
export function contentOf(content: unknown): SaidContent | undefined {
  if (typeof content === 'string') return { text: content, media: [] };
  if (!Array.isArray(content)) return undefined;
  const texts: string[] = [];
  const media: MediaPart[] = [];
  for (const part of content.map(fieldsOf)) {
    if (part.type === 'text' && typeof part.text === 'string') texts.push(part.text);
    else {
      const found = part.type === 'binary' ? binaryOf(part) : mediaOf(part);
      if (!found) return undefined;
      media.push(found);
    }
  }
  return { text: texts.join('\n'), media };
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const kinds = ['image', 'document', 'audio', 'video'];

function mediaOf({ type, source: given, metadata }: Fields): MediaPart | undefined {
  if (typeof type !== 'string' || !kinds.includes(type)) return undefined;
  const { type: how, value, mimeType } = fieldsOf(given);
  const source = sourceOf(how, textIn(value));
  const mediaType = textIn(mimeType);
  if (!source) return undefined;
  const { name, filename } = fieldsOf(metadata);
  return partOf(type, textIn(name) ?? textIn(filename), mediaType, source);
}

/** The part for everything that is not text, as AG-UI had it before 1.0. */
function binaryOf({ mimeType, id, url, data, filename }: Fields): MediaPart | undefined {
  const source =
    sourceOf('data', textIn(data)) ?? sourceOf('url', textIn(url)) ?? sourceOf('file', textIn(id));
  if (!source) return undefined;
  const mediaType = textIn(mimeType);
  const type = mediaType?.startsWith('image/') ? 'image' : 'document';
  return partOf(type, textIn(filename), mediaType, source);
}

function sourceOf(how: unknown, value: string | undefined): MediaSource | undefined {
  if (value === undefined) return undefined;
  const inline = /^data:[^,]*;base64,/.exec(value);
  if (inline && (how === 'data' || how === 'url'))
    return { kind: 'base64', base64: value.slice(inline[0].length) };
  if (how === 'data') return { kind: 'base64', base64: value };
  if (how === 'url') return { kind: 'url', url: value };
  return how === 'file' ? { kind: 'upload', id: value } : undefined;
}

/** Documents that models read; for others they are given the file. */
const READABLE =
  /^(?:application\/pdf|text\/.+|application\/(?:.+\+)?(?:json|xml|yaml|x-yaml|javascript|sql))\b/;

function partOf(
  type: string,
  name: string | undefined,
  mediaType: string | undefined,
  source: MediaSource,
): MediaPart {
  const isReadable = mediaType === undefined || READABLE.test(mediaType);
  const as = type === 'image' ? 'image' : type === 'document' && isReadable ? 'document' : 'file';
  const ending = /\/([a-z0-9]+)/.exec(mediaType ?? '')?.[1];
  return {
    as,
    name: name ?? (ending ? `${type}.${ending === 'plain' ? 'txt' : ending}` : type),
    ...(mediaType !== undefined && { mediaType }),
    source,
  };
}

/** The attachments that people have sent and front ends show: files of the workspace are not shown. */
export const shownIn = (event: AgUiEvent): AttachmentInfo[] =>
  event.type === 'MESSAGES_SNAPSHOT' ? event.messages.flatMap(seenIn) : [];

const seenIn = (message: SnapshotMessage): AttachmentInfo[] =>
  message.role === 'user' ? (message.attachments ?? []).filter(({ as }) => as !== 'file') : [];

/** Whether front ends of AG-UI get an event in another form ({@link withParts}). */
export const hasAttachments = (event: AgUiEvent): boolean =>
  event.type === 'MESSAGES_SNAPSHOT' && event.messages.some((message) => 'attachments' in message);

/**
 * An event in the form that front ends of AG-UI accept: in snapshots, attachments that people have sent are parts of
 * their message, and everything that came with a message is in its `metadata`. AG-UI's client drops fields that it does
 * not know.
 *
 * @param links to the bytes, by hash. Attachments without a link become no part
 */
export function withParts(event: AgUiEvent, links: ReadonlyMap<string, string>): object {
  if (event.type !== 'MESSAGES_SNAPSHOT') return event;
  return { ...event, messages: event.messages.map((message) => messageWithParts(message, links)) };
}

function messageWithParts(message: SnapshotMessage, links: ReadonlyMap<string, string>): object {
  if (!('attachments' in message)) return message;
  const { attachments, ...rest } = message;
  const parts = seenIn(message).flatMap(({ hash, name, mediaType, as }) => {
    const value = links.get(hash);
    const source = { type: 'url', value, mimeType: mediaType };
    return value === undefined ? [] : [{ type: as, source, metadata: { name } }];
  });
  const content = parts.length > 0 ? [...parts, { type: 'text', text: rest.content }] : rest.content;
  return { ...rest, content, metadata: { attachments } };
}
