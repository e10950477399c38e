import type { FileChange } from '../session/slots.ts';
import { putInto, type Tree } from './tree.ts';

/** The tree after the changes, applied in order. */
export function applied(tree: Tree, changes: readonly FileChange[]): Tree {
  if (changes.length === 0) return tree;
  const files = new Map(tree);
  for (const change of changes) putInto(files, change);
  return files;
}

/**
 * The changes that lead from one tree to another. Removals come first, since their room and their names may have been used again.
 */
export function changesBetween(before: Tree, after: Tree): FileChange[] {
  const gone = [...before.keys()].filter((path) => !after.has(path)).sort();
  const written = [...after.values()].filter(({ path, hash }) => before.get(path)?.hash !== hash);
  return [...gone.map((path) => ({ path })), ...written.sort((a, b) => (a.path < b.path ? -1 : 1))];
}
