/** Brings the source of skills onto this machine. */

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type TarHeader, unpackTar } from 'modern-tar';
import { Failed, WrongUsage } from '../ends.ts';

/** Bytes of an archive, and of all that is in it. */
const MAX_ARCHIVE = 50_000_000;
const MAX_UNPACKED = 150_000_000;
/** Time in ms for a download. */
const PATIENCE_MS = 120_000;

/** A folder with the content of a source. */
export interface Brought {
  readonly folder: string;
  /** SHA-256 of the archive; absent for a folder of this machine. */
  readonly archive?: string;
}

/**
 * @param scratch an empty folder for what an archive has
 * @param sha256 the expected hash of an archive, in hex
 */
export async function brought(source: string, scratch: string, sha256: string | undefined): Promise<Brought> {
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256))
    throw new WrongUsage('--sha256 takes 64 hexadecimal digits.');
  if (source.startsWith('github:')) {
    const { url, path } = commitOf(source);
    const { archive } = await unpackInto(scratch, await download(url), sha256);
    return { folder: await inside(scratch, path, source), archive };
  }
  if (/^https?:/i.test(source)) {
    const bytes = await download(checkedUrl(source));
    if (sha256 === undefined)
      throw new Failed(
        `Nothing was added: its content may be another tomorrow. If this is the archive that you mean, pass --sha256 ${hashOf(bytes)}`,
      );
    const { archive } = await unpackInto(scratch, bytes, sha256);
    return { folder: scratch, archive };
  }
  if (/^[a-z][a-z0-9+.-]+:/i.test(source) && !/^[a-z]:[\\/]/i.test(source))
    throw new WrongUsage(`${source} is not a source: use github:, https:, a .tar.gz or a folder.`);
  const place = resolve(source);
  const there = await stat(place).catch(() => undefined);
  if (!there) throw new Failed(`There is no ${source}.`);
  if (there.isDirectory()) return { folder: place };
  if (there.size > MAX_ARCHIVE) throw new Failed(`${source} has more than ${MAX_ARCHIVE} bytes.`);
  const { archive } = await unpackInto(scratch, await readFile(place), sha256);
  return { folder: scratch, archive };
}

function commitOf(source: string): { readonly url: URL; readonly path: string } {
  const [, repository, at, path = ''] =
    /^github:([\w.-]+\/[\w.-]+)(?:@([^/]+))?(?:\/(.*))?$/.exec(source) ?? [];
  if (!repository || !at || !/^[0-9a-f]{40}$/.test(at))
    throw new WrongUsage(
      'Write github:OWNER/REPO@COMMIT, with the 40 digits of a commit: a branch or a tag may be another tomorrow.',
    );
  return { url: new URL(`https://codeload.github.com/${repository}/tar.gz/${at}`), path };
}

function checkedUrl(source: string): URL {
  const url = URL.parse(source);
  const isLocal = url?.hostname === '127.0.0.1' || url?.hostname === 'localhost';
  if (!url || (url.protocol !== 'https:' && !isLocal)) throw new WrongUsage(`${source}: use https.`);
  return url;
}

/** GitHub's archives have everything in one folder. */
async function inside(scratch: string, path: string, source: string): Promise<string> {
  const [first = ''] = await readdir(scratch);
  const folder = join(scratch, first, path);
  if (folder !== scratch && !folder.startsWith(scratch + sep))
    throw new WrongUsage(`${source}: the path leads out of the repository.`);
  const there = await stat(folder).catch(() => undefined);
  if (!there?.isDirectory()) throw new Failed(`There is no folder ${path} in ${source}.`);
  return folder;
}

async function download(url: URL): Promise<Buffer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch((error: Error) => {
    throw new Failed(`${url.host} could not be reached: ${error.message}`);
  });
  if (!response.ok || !response.body) throw new Failed(`${url.host} answered with ${response.status}.`);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body) {
    bytes += part.length;
    if (bytes > MAX_ARCHIVE) throw new Failed(`The archive has more than ${MAX_ARCHIVE} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Writes the files of an archive below a folder. Paths that lead out of it are refused; links stay links, and are refused later. */
async function unpackInto(
  folder: string,
  bytes: Uint8Array,
  sha256: string | undefined,
): Promise<{ archive: string }> {
  const archive = hashOf(bytes);
  if (sha256 !== undefined && sha256.toLowerCase() !== archive)
    throw new Failed(`The archive is another one: its SHA-256 is ${archive}.`);
  const entries = await unpackTar(unzipped(bytes)).catch((error: Error) => {
    throw new Failed(`The archive cannot be read: ${error.message}`);
  });
  for (const { header, data } of entries)
    await writeEntry(folder, header, data).catch((error: Error) => {
      if (error instanceof Failed) throw error;
      throw new Failed(`The archive cannot be unpacked at ${JSON.stringify(header.name)}: ${error.message}`);
    });
  return { archive };
}

async function writeEntry(
  folder: string,
  { name, type }: TarHeader,
  data: Uint8Array | undefined,
): Promise<void> {
  const root = resolve(folder);
  const place = resolve(root, name);
  if (place !== root && !place.startsWith(root + sep))
    throw new Failed(`The archive has a path that leads out of it: ${JSON.stringify(name)}.`);
  const isLink = type === 'symlink' || type === 'link';
  if (!isLink && type !== 'file') return;
  await mkdir(dirname(place), { recursive: true });
  // A link leads nowhere here: only that there is one matters.
  if (isLink) await symlink('no-such-file', place);
  else await writeFile(place, data ?? new Uint8Array(), { flag: 'wx' });
}

function unzipped(bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED });
  } catch {
    throw new Failed(
      `The archive is not a .tar.gz, or has more than ${MAX_UNPACKED} bytes when it is unpacked.`,
    );
  }
}
