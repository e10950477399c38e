import { crc32, inflateRawSync } from 'node:zlib';

/** Limits of the unpacked archive. */
export interface UnpackLimits {
  readonly files: number;
  /** Most bytes of one file. */
  readonly fileBytes: number;
  /** Most bytes of all files together. */
  readonly bytes: number;
}

/** A file of an archive. Its name is as the archive has it: outside input, not yet a checked path. */
export interface Packed {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The archive cannot be unpacked. The message is a sentence for its sender. */
export class ZipFault extends Error {}

/** Characters of a name that are shown: a name may have 65,535. */
const MAX_SHOWN = 200;

/** A name in an archive, cut so that it can be shown. */
export const shown = (name: string): string =>
  JSON.stringify(name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN).toWellFormed()}…` : name);

/** Entries that are read, including folders and others that are left out. */
const MAX_ENTRIES = 10_000;

/**
 * Yields the files of a zip archive one after the other; the reader may drop each before it asks for the next. The central
 * directory is checked against the limits before anything is unpacked, and each file is held to the size that the directory
 * states. Folders are left out, and so are links, which a workspace does not have, and what Finder adds (`__MACOSX/`,
 * `.DS_Store`). Archives inside it stay archives.
 *
 * This is not a library because none of the small ones tells a link from a file, or stops at a file that is longer than its
 * stated size.
 *
 * @throws {@link ZipFault}
 */
export function* unpacked(zip: Uint8Array, limits: UnpackLimits): Generator<Packed> {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const entries = entriesOf(zip, view).filter(isWanted);
  if (entries.length > limits.files)
    throw new ZipFault(`It has ${entries.length} files; at most ${limits.files} are allowed.`);
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  if (total > limits.bytes)
    throw new ZipFault(`Unpacked it has ${total} bytes; at most ${limits.bytes} are allowed.`);
  const large = entries.find(({ size }) => size > limits.fileBytes);
  if (large)
    throw new ZipFault(
      `${shown(large.name)} has ${large.size} bytes; a file may have at most ${limits.fileBytes}.`,
    );
  for (const entry of entries) yield { name: entry.name, bytes: contentOf(entry, zip, view) };
}

interface Entry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  /** Offset of its header. */
  readonly at: number;
  readonly isLink: boolean;
}

const BROKEN = 'It is not a complete zip archive.';
const END = { signature: 0x06054b50, bytes: 22, comment: 65_535 };
const ENTRY = { signature: 0x02014b50, bytes: 46 };
const HEADER = { signature: 0x04034b50, bytes: 30 };
/** Entries made under Unix have a file's mode: links are one kind of file. */
const UNIX = 3;
const LINK = 0xa000;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;

/** Reads the central directory (APPNOTE.TXT 4.3.12). The record at the archive's end says where it begins. */
function entriesOf(zip: Uint8Array, view: DataView): Entry[] {
  const end = endOf(view);
  const count = view.getUint16(end + 10, true);
  if (count > MAX_ENTRIES) throw new ZipFault(`It has ${count} entries; at most ${MAX_ENTRIES} are allowed.`);
  let at = view.getUint32(end + 16, true);
  return Array.from({ length: count }, () => {
    if (at + ENTRY.bytes > end || view.getUint32(at, true) !== ENTRY.signature) throw new ZipFault(BROKEN);
    const nameBytes = view.getUint16(at + 28, true);
    const made = view.getUint16(at + 4, true) >>> 8;
    const mode = view.getUint32(at + 38, true) >>> 16;
    const entry = {
      name: new TextDecoder().decode(zip.subarray(at + ENTRY.bytes, at + ENTRY.bytes + nameBytes)),
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packedSize: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true),
      isLink: made === UNIX && (mode & 0xf000) === LINK,
    };
    at += ENTRY.bytes + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    return entry;
  });
}

/** Searches from the back, since a comment of any bytes may follow the record. */
function endOf(view: DataView): number {
  const first = Math.max(0, view.byteLength - END.bytes - END.comment);
  for (let at = view.byteLength - END.bytes; at >= first; at--) {
    const isEnd =
      view.getUint32(at, true) === END.signature &&
      at + END.bytes + view.getUint16(at + 20, true) === view.byteLength;
    if (isEnd) return at;
  }
  throw new ZipFault(BROKEN);
}

const isWanted = ({ name, isLink }: Entry): boolean =>
  !isLink && !name.endsWith('/') && !/(^|\/)(__MACOSX\/|\.DS_Store$)/.test(name);

function contentOf(
  { name, flags, method, crc, packedSize, size, at }: Entry,
  zip: Uint8Array,
  view: DataView,
): Uint8Array {
  const said = shown(name);
  if (flags & ENCRYPTED) throw new ZipFault(`${said} is encrypted: pack it without a password.`);
  if (at + HEADER.bytes > zip.length || view.getUint32(at, true) !== HEADER.signature)
    throw new ZipFault(BROKEN);
  const begin = at + HEADER.bytes + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  const packed = zip.subarray(begin, begin + packedSize);
  if (packed.length < packedSize) throw new ZipFault(BROKEN);
  const bytes = inflated(packed, method, size, said);
  if (bytes.length !== size || crc32(bytes) !== crc)
    throw new ZipFault(`${said} does not match its entry in the archive.`);
  return bytes;
}

function inflated(packed: Uint8Array, method: number, size: number, said: string): Uint8Array {
  if (method === STORED) return packed;
  if (method !== DEFLATED) throw new ZipFault(`${said} has an unsupported compression: use deflate.`);
  if (size === 0) return new Uint8Array();
  try {
    return inflateRawSync(packed, { maxOutputLength: size });
  } catch {
    throw new ZipFault(`${said} does not match its entry in the archive.`);
  }
}
