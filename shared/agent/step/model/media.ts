import type { SessionKey } from '../../../contract/session.ts';
import { isTextDocument, type MediaBlock, mediaIn, replacing } from '../../context/media.ts';
import { MAX_REQUEST_CHARS, roomFor, takesType } from '../../context/room.ts';
import { base64Of } from '../../plain/base64.ts';
import { recent } from '../../plain/recent.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Message } from '../../ports/provider.ts';
import type { PinnedModel } from '../../session/pinned.ts';
import type { Block } from '../../session/slots.ts';
import { texts } from '../../texts.ts';
import { contentKey } from '../../workspace/content.ts';

/**
 * The messages as they are sent: with media in base64 if the model accepts them and there is room, and otherwise with a line
 * that says why not. A function of the messages and the stored content from the beginning, so that each request repeats the
 * previous one byte for byte.
 */
export async function withMedia(
  messages: readonly Message[],
  model: Pick<PinnedModel, 'provider' | 'accepts'>,
  key: SessionKey,
  blobs: Pick<Blobs, 'getBytes'>,
): Promise<readonly Message[]> {
  const why = roomFor(model);
  const planned = messages.flatMap(mediaIn).map((block) => ({ block, why: why(block) }));
  const made = new Map<Block, Block>();
  for (const { block, why } of planned)
    made.set(
      block,
      why ? notShown(block, why) : await shown(block, takesType(model, block.type), key, blobs),
    );
  const inPlace = (block: Block): Block =>
    Array.isArray(block.content)
      ? { ...block, content: block.content.map((one: Block) => made.get(one) ?? one) }
      : (made.get(block) ?? block);
  return messages.map((message) =>
    mediaIn(message).length > 0 ? replacing(message, message.content.map(inPlace)) : message,
  );
}

const notShown = ({ type, source }: MediaBlock, why: string): Block => ({
  type: 'text',
  text: texts.notShown({ as: type, name: source.name }, why),
});

/** @param isTaken whether the model accepts blocks of the type: a text is part of the message if not */
async function shown(
  block: MediaBlock,
  isTaken: boolean,
  key: SessionKey,
  blobs: Pick<Blobs, 'getBytes'>,
): Promise<Block> {
  const { hash, media_type, name } = block.source;
  const bytes = await encoded(contentKey(key, hash), blobs);
  if (bytes === undefined) return notShown(block, 'it is not there any more');
  if (block.type === 'image') return { type: 'image', source: { type: 'base64', media_type, data: bytes } };
  if (!isTaken) return { type: 'text', text: `${name}:\n${textIn(bytes)}` };
  const source = isTextDocument(block)
    ? { type: 'text', media_type: 'text/plain', data: textIn(bytes) }
    : { type: 'base64', media_type, data: bytes };
  return { type: 'document', source, title: name };
}

const textIn = (base64: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(base64), (one) => one.charCodeAt(0)));

/**
 * Content that a warm worker has encoded, up to the size of one request. A key is derived from its content, so it never means
 * other content.
 */
const remembered = recent<string>(MAX_REQUEST_CHARS, (text) => text.length);

async function encoded(key: string, blobs: Pick<Blobs, 'getBytes'>): Promise<string | undefined> {
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const bytes = await blobs.getBytes(key);
  const text = bytes && base64Of(bytes);
  if (text !== undefined) remembered.set(key, text);
  return text;
}
