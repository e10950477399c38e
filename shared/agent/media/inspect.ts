import type { Attachment } from '../session/attachments.ts';
import { imageIn } from './image-size.ts';

/** Bytes that one attachment of each kind may have, and the source of each limit. */
export const maxBytes = {
  /** 5 MB of base64 (Anthropic, "Vision"; the API counts the characters). */
  image: 3_750_000,
  /** A third of a request of 32 MB, in base64, leaves room for others and for the conversation (Anthropic, "PDF support"). */
  pdf: 8_000_000,
  /** About 100,000 tokens. */
  text: 400_000,
  /** Unpacked, it may have ten times as many (`limits.workspace`). A function holds it in memory. */
  file: 20_000_000,
} as const;

/** Pixels of each side of an image (Anthropic, "Vision"). */
export const MAX_SIDE = 8_000;
/** Pages of a PDF, for every current model (Anthropic, "PDF support"). */
export const MAX_PAGES = 100;

/** The facts about bytes that an attachment records. */
export type Facts = Pick<Attachment, 'mediaType' | 'width' | 'height' | 'pages'>;

/**
 * Inspects bytes that were sent as an image, a document or a file: the bytes themselves decide their type. Nothing is decoded.
 *
 * @returns their facts, or a sentence for the sender
 */
export function inspect(bytes: Uint8Array, as: Attachment['as']): Facts | string {
  switch (as) {
    case 'image':
      return asImage(bytes);
    case 'document':
      return asDocument(bytes);
    case 'file':
      return bytes.length > maxBytes.file
        ? tooLarge('a file', bytes, maxBytes.file)
        : { mediaType: typeOf(bytes) };
    default:
      return as satisfies never;
  }
}

function asImage(bytes: Uint8Array): Facts | string {
  const image = imageIn(bytes);
  if (!image) {
    const what = isSvg(bytes) ? 'It is an SVG, which models do not see' : 'It is not a whole image';
    return `${what}: send a PNG, JPEG, GIF or WebP, or send it as a "file".`;
  }
  const { width, height } = image;
  if (width > MAX_SIDE || height > MAX_SIDE)
    return `The image has ${width}×${height} pixels: at most ${MAX_SIDE} per side are accepted. Send a smaller one.`;
  return bytes.length > maxBytes.image ? tooLarge('an image', bytes, maxBytes.image) : image;
}

function asDocument(bytes: Uint8Array): Facts | string {
  if (isPdf(bytes)) {
    if (bytes.length > maxBytes.pdf) return tooLarge('a PDF', bytes, maxBytes.pdf);
    const said = latin1(bytes);
    if (/\/Encrypt\s+\d+\s+\d+\s+R/.test(said)) return 'The PDF is encrypted: send it without a password.';
    const pages = said.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0;
    if (pages > MAX_PAGES)
      return `The PDF has ${pages} pages: at most ${MAX_PAGES} are accepted. Send a part of it.`;
    return { mediaType: 'application/pdf', ...(pages > 0 && { pages }) };
  }
  if (!isText(bytes)) return 'It is neither a PDF nor text in UTF-8: send it as an "image" or as a "file".';
  if (bytes.length === 0) return 'It is empty.';
  return bytes.length > maxBytes.text
    ? tooLarge('a text', bytes, maxBytes.text)
    : { mediaType: 'text/plain' };
}

/** The type of a file, for people and tools that want to show it. */
function typeOf(bytes: Uint8Array): string {
  if (isPdf(bytes)) return 'application/pdf';
  if (isZip(bytes)) return 'application/zip';
  return imageIn(bytes)?.mediaType ?? (isText(bytes) ? 'text/plain' : 'application/octet-stream');
}

const tooLarge = (what: string, { length }: Uint8Array, most: number): string =>
  `It has ${length} bytes: ${what} has at most ${most}.`;

const isPdf = (bytes: Uint8Array): boolean => startsWith(bytes, '%PDF-');
/** With entries, or empty. */
export const isZip = (bytes: Uint8Array): boolean =>
  startsWith(bytes, 'PK\x03\x04') || startsWith(bytes, 'PK\x05\x06');
const isSvg = (bytes: Uint8Array): boolean => /<svg[\s>]/i.test(latin1(bytes.subarray(0, 4_096)));

const startsWith = (bytes: Uint8Array, text: string): boolean =>
  latin1(bytes.subarray(0, text.length)) === text;

const latin1 = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

/** UTF-8 without control characters, except those that texts have: tabs, ends of lines and of pages, and the escape of terminal colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const CONTROLS = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/;

function isText(bytes: Uint8Array): boolean {
  try {
    return !CONTROLS.test(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return false;
  }
}
