import type { FileChange } from '../session/slots.ts';
import { putInto, type Tree } from './tree.ts';

/** The tree with the changes in it, one after the other. */
export function applied(tree: Tree, changes: readonly FileChange[]): Tree {
  if (changes.length === 0) return tree;
  const files = new Map(tree);
  for (const change of changes) putInto(files, change);
  return files;
}

/** What leads from one tree to another: what is gone first, since its room and its name may have been used again. */
export function changesBetween(before: Tree, after: Tree): FileChange[] {
  const gone = [...before.keys()].filter((path) => !after.has(path)).sort();
  const written = [...after.values()].filter(({ path, hash }) => before.get(path)?.hash !== hash);
  return [...gone.map((path) => ({ path })), ...written.sort((a, b) => (a.path < b.path ? -1 : 1))];
}
