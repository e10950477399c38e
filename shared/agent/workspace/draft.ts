import type { WorkspaceLimits } from '../config/limits.ts';
import type { FileChange } from '../session/slots.ts';
import { foldersOf } from './paths.ts';
import { type FileEntry, putInto, type Tree } from './tree.ts';

/** A tree that is being changed. */
export interface Draft {
  readonly files: Tree;
  /** Makes one change, or returns the reason why not, as a sentence for the model. */
  change(one: FileChange): string | undefined;
  /** Makes all of the changes, or none. */
  changeAll(all: readonly FileChange[]): string | undefined;
}

/** Changes a copy of the tree. The cost of a change does not depend on the number of files. */
export function draftOf(tree: Tree, limits: WorkspaceLimits): Draft {
  const files = new Map(tree);
  /** Number of files in each folder and below it. */
  const folders = new Map<string, number>();
  let total = 0;
  const count = ({ path, bytes }: FileEntry, by: 1 | -1) => {
    total += by * bytes;
    for (const folder of foldersOf(path)) {
      const inside = (folders.get(folder) ?? 0) + by;
      if (inside > 0) folders.set(folder, inside);
      else folders.delete(folder);
    }
  };
  for (const file of files.values()) count(file, 1);

  const refusalOf = ({ path, bytes = 0 }: FileChange): string | undefined => {
    const before = files.get(path);
    if (bytes > limits.fileBytes) return tooLarge(path, bytes, limits);
    if (!before && files.size >= limits.files)
      return `${path} cannot be written: the workspace has room for ${limits.files} files. Remove some first.`;
    // Something that is over its limit may still shrink: limits may have changed since.
    const more = bytes - (before?.bytes ?? 0);
    if (more > 0 && total + more > limits.bytes)
      return `${path} cannot be written: the workspace has room for ${limits.bytes} bytes. Remove some files first.`;
    if (before) return undefined;
    if (folders.has(path)) return `${path} is a folder: no file can be called so.`;
    const file = foldersOf(path).find((folder) => files.has(folder));
    return file && `${path} cannot be written: ${file} is a file, and no folder.`;
  };

  const put = (one: FileChange) => {
    const before = files.get(one.path);
    if (before) count(before, -1);
    putInto(files, one);
    const after = files.get(one.path);
    if (after) count(after, 1);
  };
  const change = (one: FileChange): string | undefined => {
    const why = one.hash === undefined ? undefined : refusalOf(one);
    if (!why) put(one);
    return why;
  };

  return {
    files,
    change,
    changeAll(all) {
      const before = all.map(({ path }): FileChange => files.get(path) ?? { path });
      for (const one of all) {
        const why = change(one);
        if (!why) continue;
        for (const old of before) put(old);
        return why;
      }
      return undefined;
    },
  };
}

export const tooLarge = (path: string, bytes: number, { fileBytes }: WorkspaceLimits): string =>
  `${path} would have ${bytes} bytes: a file of the workspace has at most ${fileBytes}.`;
