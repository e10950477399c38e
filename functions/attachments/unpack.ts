import { keepFacts } from '../../shared/agent/media/facts.ts';
import { isZip } from '../../shared/agent/media/inspect.ts';
import { pathIn } from '../../shared/agent/media/keep.ts';
import { encoded } from '../../shared/agent/plain/utf8.ts';
import type { Blobs } from '../../shared/agent/ports/blobs.ts';
import type { Attachment } from '../../shared/agent/session/attachments.ts';
import { putContent } from '../../shared/agent/workspace/content.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { type Packed, shown, type UnpackLimits, unpacked, ZipFault } from './zip.ts';

/** Files that are written in parallel. */
const AT_ONCE = 32;

/** An archive whose files go into the workspace. */
export interface SentArchive {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The folder for them; empty means the root. */
  readonly folder: string;
}

/**
 * Keeps the files of an archive, and the list of them, as the session's content. The archive itself is kept too, so that it can
 * be downloaded.
 *
 * @returns a sentence for the sender if it cannot be unpacked
 */
export async function keepUnpacked(
  { name, bytes, folder }: SentArchive,
  key: SessionKey,
  limits: UnpackLimits,
  blobs: Pick<Blobs, 'put' | 'putBytes'>,
): Promise<Attachment | string> {
  if (!isZip(bytes))
    return 'It is not a zip archive, and only those can be unpacked. Send it without "unpack".';
  try {
    const files = new Map<string, { readonly path: string; readonly hash: string; readonly bytes: number }>();
    for (const some of inGroups(unpacked(bytes, limits))) {
      for (const file of await Promise.all(some.map((one) => keepFile(one, folder, key, blobs))))
        files.set(file.path, file);
    }
    const list = [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    const inside = folderOf(list);
    if (inside) return inside;
    const attachment = {
      hash: await putContent(key, bytes, blobs),
      bytes: bytes.length,
      mediaType: 'application/zip',
      name,
      as: 'file',
      path: rootOf(folder),
      unpacked: {
        list: await putContent(key, encoded(JSON.stringify(list)), blobs),
        files: list.length,
        bytes: list.reduce((sum, file) => sum + file.bytes, 0),
      },
    } as const;
    await keepFacts(key, attachment, blobs);
    return attachment;
  } catch (error) {
    if (error instanceof ZipFault) return error.message;
    throw error;
  }
}

async function keepFile(
  { name, bytes }: Packed,
  folder: string,
  key: SessionKey,
  blobs: Pick<Blobs, 'putBytes'>,
): Promise<{ path: string; hash: string; bytes: number }> {
  // A path that leaves its own folder is refused, even where it would stay inside the workspace.
  const inside = pathIn(name);
  if ('why' in inside || name.startsWith('/')) throw new ZipFault(`${shown(name)} is not a valid file path.`);
  const path = pathIn(`${folder}/${inside.path}`);
  if ('why' in path) throw new ZipFault(path.why);
  return { ...path, hash: await putContent(key, bytes, blobs), bytes: bytes.length };
}

/** A path that is both a file and a folder of the list; undefined if there is none. */
function folderOf(list: readonly { readonly path: string }[]): string | undefined {
  const paths = new Set(list.map(({ path }) => path));
  const below = list.find(({ path }) =>
    path.split('/').some((_, i, names) => i > 0 && paths.has(names.slice(0, i).join('/'))),
  );
  return below && `${shown(below.path)} is below a path that is a file of the archive, not a folder.`;
}

/** The folder as a path of the workspace. */
function rootOf(folder: string): string {
  const inside = pathIn(`${folder}/x`);
  return 'path' in inside ? inside.path.split('/').slice(0, -1).join('/') : '';
}

function* inGroups<T>(all: Iterable<T>): Generator<T[]> {
  let group: T[] = [];
  for (const one of all) {
    group.push(one);
    if (group.length < AT_ONCE) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
