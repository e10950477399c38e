import type { Attachment } from '../../session/attachments.ts';
import type { FileChange } from '../../session/slots.ts';
import { contentKey } from '../content.ts';
import { draftOf } from '../draft.ts';
import { filePathOf, PathError } from '../paths.ts';
import { putTree, treeOf } from '../tree.ts';
import type { FilesOf } from './together.ts';

/** The outcome for files that people have sent. */
export interface TakenIn {
  /** Hash of the tree that has them in it. */
  readonly tree: string | undefined;
  readonly changes: readonly FileChange[];
  /** Why the other files are not in the workspace: one sentence each. */
  readonly refused: readonly string[];
}

/** Puts files that came with messages into the workspace: each file, or all files of an archive, as far as there is room. */
export async function takeIn(of: FilesOf, sent: readonly Attachment[]): Promise<TakenIn> {
  const draft = draftOf(await treeOf(of), of.limits);
  const changes: FileChange[] = [];
  const refused: string[] = [];
  for (const file of sent) {
    const wanted = await changesBy(file, of);
    const why = typeof wanted === 'string' ? wanted : draft.changeAll(wanted);
    if (why) refused.push(`${JSON.stringify(file.name)}: ${why}`);
    else if (typeof wanted !== 'string') changes.push(...wanted);
  }
  const tree = changes.length > 0 ? await putTree(of.key, draft.files, of.blobs) : of.tree;
  return { tree, changes, refused };
}

/** The changes that a file makes, or a sentence that says why it cannot be added. */
async function changesBy(
  { hash, bytes, name, path, unpacked }: Attachment,
  { key, blobs }: FilesOf,
): Promise<readonly FileChange[] | string> {
  try {
    if (!unpacked) return [{ path: filePathOf(path ?? name), hash, bytes }];
    const list = await blobs.getBytes(contentKey(key, unpacked.list));
    const files: readonly FileChange[] = list ? JSON.parse(new TextDecoder().decode(list)) : [];
    return files.map((file) => ({ ...file, path: filePathOf(file.path) }));
  } catch (error) {
    if (error instanceof PathError) return error.message;
    throw error;
  }
}
