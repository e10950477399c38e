import type { Message } from '@ag-ui/client';
import { contentOf, type MediaPart, type SaidContent, shownIn } from '../../shared/contract/ag-ui-parts.ts';
import type { SnapshotMessage } from '../../shared/contract/events.ts';
import { eventIdFor } from '../../shared/contract/ids.ts';
import type { MessageContent } from '../../shared/contract/message.ts';
import type { HttpClient } from '../client/http.ts';

/** A new message from a front end. */
export interface NewMessage {
  readonly id: string;
  readonly content: SaidContent;
}

/** Only the last user message can be new: the server has the history. */
export function newMessage(messages: readonly Message[]): NewMessage | undefined {
  const last = messages.at(-1);
  if (last?.role !== 'user') return undefined;
  const content = contentOf(last.content);
  if (!content) throw new Error('only text, images, documents, audio and video can be sent');
  return { id: last.id, content };
}

/** The front end's own ids of its messages, by the server's ids. */
export async function ownIds(messages: readonly Message[]): Promise<Map<string, string>> {
  const own = messages.filter(({ role }) => role === 'user');
  return new Map(await Promise.all(own.map(async ({ id }) => [`user-${await eventIdFor(id)}`, id] as const)));
}

/** A message in the form that the API takes: attachments are uploaded first, in order. Links are fetched by this process. */
export async function uploaded(
  { text, media }: SaidContent,
  client: Pick<HttpClient, 'upload'>,
): Promise<MessageContent> {
  if (media.length === 0) return text;
  const parts: Exclude<MessageContent, string> = [];
  for (const part of media) parts.push({ type: part.as, upload: await uploadOf(part, client) });
  return text.trim() === '' ? parts : [...parts, { type: 'text', text }];
}

async function uploadOf(
  { name, mediaType, source }: MediaPart,
  client: Pick<HttpClient, 'upload'>,
): Promise<string> {
  const as = { name, ...(mediaType !== undefined && { mediaType }) };
  switch (source.kind) {
    case 'upload':
      return source.id;
    case 'base64':
      return client.upload(new Blob([Uint8Array.from(atob(source.base64), (one) => one.charCodeAt(0))]), as);
    case 'url': {
      const response = await fetch(source.url);
      if (!response.ok) throw new Error(`${name} could not be fetched: HTTP ${response.status}`);
      return client.upload(await response.blob(), as);
    }
    default:
      return source satisfies never;
  }
}

/** Links to the attachments of these messages, by hash. They are valid for five minutes. */
export async function linksIn(
  messages: SnapshotMessage[],
  sessionId: string,
  client: Pick<HttpClient, 'attachment'>,
): Promise<ReadonlyMap<string, string>> {
  const hashes = new Set(shownIn({ type: 'MESSAGES_SNAPSHOT', messages }).map(({ hash }) => hash));
  const links = [...hashes].map(
    async (hash) => [hash, (await client.attachment(sessionId, hash)).url] as const,
  );
  return new Map(await Promise.all(links));
}
