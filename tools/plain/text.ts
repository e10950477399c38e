import { kindOf, sizeOf } from './kinds.ts';

/** A file's bytes as text, or why they are not text. */
export type Decoded =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary'; readonly what: string };

/** Bytes at the start in which a NUL makes a file binary, as in git and grep. */
const LOOKED_AT = 8_000;

/** Decodes bytes as UTF-8. A byte order mark stays: what is written back must equal what was read. */
export function decode(bytes: Uint8Array): Decoded {
  if (isBinary(bytes)) return { kind: 'binary', what: binary(bytes) };
  try {
    return { kind: 'text', text: utf8.decode(bytes) };
  } catch {
    return { kind: 'binary', what: `${binary(bytes)}: it is not valid UTF-8` };
  }
}

/** Decodes bytes that are only shown, in their declared encoding, else as UTF-8; invalid bytes become `\ufffd`. */
export function decodeAs(charset: string, bytes: Uint8Array): Decoded {
  const decoder = decoderOf(charset);
  if (!/^utf-16/.test(decoder.encoding) && isBinary(bytes)) return { kind: 'binary', what: binary(bytes) };
  return { kind: 'text', text: decoder.decode(bytes) };
}

function decoderOf(charset: string) {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, LOOKED_AT).includes(0);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const binary = (bytes: Uint8Array): string => `binary, ${sizeOf(bytes.length)}${typeOf(bytes)}`;

function typeOf(bytes: Uint8Array): string {
  const kind = kindOf(bytes);
  return kind ? `, ${kind}` : '';
}

/** Its lines without line ends. A text that ends with a line break has no empty line after it. */
export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The text, shortened to `most` characters, with a mark. */
export function cutTo(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).toWellFormed()} … [${text.length - most} more characters]`;
}
