import type { SessionKey } from '../../contract/session.ts';
import { blobKey } from '../plain/blob-key.ts';
import { encoded } from '../plain/utf8.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { FileChange } from '../session/slots.ts';
import { contentHash } from './content.ts';

/** A file of a workspace. */
export interface FileEntry {
  /** From the root, without a `/` in front. */
  readonly path: string;
  /** SHA-256 of its content, in hex. */
  readonly hash: string;
  readonly bytes: number;
}

/** The files of a workspace by path. Immutable: changing a file makes another tree. */
export type Tree = ReadonlyMap<string, FileEntry>;

export const noFiles: Tree = new Map();

/** Changes one file. */
export function putInto(files: Map<string, FileEntry>, { path, hash, bytes = 0 }: FileChange): void {
  if (hash === undefined) files.delete(path);
  else files.set(path, { path, hash, bytes });
}

/** Bytes of a stored tree: 10,000 files with paths of 512 bytes, plus a margin. */
const MAX_TREE_BYTES = 10_000_000;

/** A tree as text: equal trees have equal text. */
export const treeText = (tree: Tree): string =>
  JSON.stringify(sorted(tree).map(({ path, hash, bytes }) => [path, hash, bytes]));

/** The files in the order of their paths' characters. */
export const sorted = (tree: Tree): readonly FileEntry[] =>
  [...tree.values()].sort((a, b) => (a.path < b.path ? -1 : 1));

/** Stores a tree under its hash, and returns the hash. The content that it names must be stored already. */
export async function putTree(key: SessionKey, tree: Tree, blobs: Pick<Blobs, 'putBytes'>): Promise<string> {
  const bytes = encoded(treeText(tree));
  const hash = contentHash(bytes);
  await blobs.putBytes(treeKey(key, hash), bytes);
  return hash;
}

/** The tree of that hash. Rejects when there is none. */
export async function readTree(key: SessionKey, hash: string, blobs: Pick<Blobs, 'getBytes'>): Promise<Tree> {
  const bytes = await blobs.getBytes(treeKey(key, hash), MAX_TREE_BYTES);
  if (!bytes) throw new Error(`session ${key.sessionId}: the tree ${hash} of its workspace is missing`);
  const files: [string, string, number][] = JSON.parse(new TextDecoder().decode(bytes));
  return new Map(files.map(([path, hash, bytes]) => [path, { path, hash, bytes }]));
}

/** The tree to begin with: without a hash it has no files. */
export const treeOf = async ({
  key,
  tree,
  blobs,
}: {
  readonly key: SessionKey;
  readonly tree: string | undefined;
  readonly blobs: Pick<Blobs, 'getBytes'>;
}): Promise<Tree> => (tree === undefined ? noFiles : readTree(key, tree, blobs));

const treeKey = ({ tenant, sessionId }: SessionKey, hash: string): string =>
  blobKey(tenant, sessionId, 'trees', hash);
