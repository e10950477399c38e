import { encoded } from '../shared/agent/plain/utf8.ts';
import type { Ports } from '../shared/agent/ports/ports.ts';
import type { Session } from '../shared/agent/session/session.ts';
import { contentKey, putContent } from '../shared/agent/workspace/content.ts';
import { pathOf } from '../shared/agent/workspace/paths.ts';
import { type FileEntry, putTree, readTree } from '../shared/agent/workspace/tree.ts';
import type { SessionKey } from '../shared/contract/session.ts';

/** Files by their paths: text, or bytes. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Saves files for a session that begins with them, and returns the hash of their tree. */
export async function keepFiles(key: SessionKey, files: Files, { blobs }: Pick<Ports, 'blobs'>) {
  const tree = new Map<string, FileEntry>();
  for (const [given, content] of Object.entries(files)) {
    const bytes = typeof content === 'string' ? encoded(content) : content;
    const path = pathOf(given);
    tree.set(path, { path, hash: await putContent(key, bytes, blobs), bytes: bytes.length });
  }
  return putTree(key, tree, blobs);
}

/** The files of a session as text, sorted by path. */
export async function filesOf(key: SessionKey, { workspace }: Session, { blobs }: Pick<Ports, 'blobs'>) {
  const tree = workspace === undefined ? [] : [...(await readTree(key, workspace, blobs)).values()];
  const read = tree.map(async ({ path, hash }): Promise<[string, string]> => {
    const bytes = await blobs.getBytes(contentKey(key, hash));
    return [path, new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)];
  });
  return Object.fromEntries((await Promise.all(read)).sort(([a], [b]) => (a < b ? -1 : 1)));
}
