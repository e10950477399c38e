import * as z from 'zod';
import { base64Of, bytesOfBase64 } from '../plain/base64.ts';
import { hash } from '../plain/hash.ts';
import { encoded } from '../plain/utf8.ts';

/**
 * The files of a skill in one text. The same files give the same text, so its hash is the skill's version: the order of the disk,
 * times and modes are not part of it.
 */
export function packOf(files: ReadonlyMap<string, Uint8Array>): string {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({ files: sorted.map(([path, bytes]) => [path, ...contentOf(bytes)]) });
}

/** The version of a skill: the SHA-256 of its pack, in hex. */
export const packHash = (pack: string): string => hash(pack, 64);

const Pack = z.object({
  files: z.array(z.tuple([z.string(), z.enum(['text', 'base64']), z.string()])),
});

/** The files in a pack, by path. Throws if the text is not a pack, or has another hash. */
export function unpack(pack: string, expected: string): Map<string, Uint8Array> {
  if (packHash(pack) !== expected) throw new Error('the stored skill is not the version of this session');
  const { files } = Pack.parse(JSON.parse(pack));
  return new Map(
    files.map(([path, form, content]) => [path, form === 'text' ? encoded(content) : bytesOfBase64(content)]),
  );
}

/** Text if it comes back as the same bytes. */
function contentOf(bytes: Uint8Array): ['text' | 'base64', string] {
  try {
    return ['text', strict.decode(bytes)];
  } catch {
    return ['base64', base64Of(bytes)];
  }
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
