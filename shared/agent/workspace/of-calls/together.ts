import type { SessionKey } from '../../../contract/session.ts';
import type { WorkspaceLimits } from '../../config/limits.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { FileChange, ToolResult } from '../../session/slots.ts';
import { applied } from '../changes.ts';
import { draftOf } from '../draft.ts';
import { putTree, treeOf } from '../tree.ts';

/** Texts for the model about calls that ran side by side. */
const said = {
  /** The changes that a call made in the workspace do not fit with those of the other calls of its batch. */
  nothingChanged:
    'Other calls of this reply have changed files too. What this one changed does not count: make it again.',
  /** Two calls of a batch that ran side by side have changed one file. */
  changedByTwo: (paths: readonly string[]) =>
    `\n[steploop] Another call of the same reply has changed this too, without seeing it: ${paths.slice(0, 10).join(', ')}${paths.length > 10 ? ', …' : ''}. What this call has made of it stands, and the other's is gone. Look at it before you go on.`,
};

/** Where the files of a batch are. */
export interface FilesOf {
  readonly key: SessionKey;
  /** Hash of the tree that the batch began with; undefined when the session has no file. */
  readonly tree: string | undefined;
  readonly limits: WorkspaceLimits;
  /** Those of a warm worker. */
  readonly blobs: Pick<Blobs, 'getBytes' | 'putBytes'>;
}

/**
 * The results of calls that ran side by side, none of which saw the changes of the others. Each was within the limits by itself.
 * If the changes of one do not fit with those before it, that call fails and changes nothing. If two calls changed the same file,
 * the later call's version is kept, and its result says so.
 *
 * @param others changes made beside them, which are kept
 */
export async function fitting(
  of: FilesOf,
  others: readonly FileChange[],
  results: readonly ToolResult[],
): Promise<readonly ToolResult[]> {
  const draft = draftOf(applied(await treeOf(of), others), of.limits);
  const changedBy = new Map<string, string>();
  return results.map((result) => {
    const { changes = [], ...rest } = result;
    const why = draft.changeAll(changes);
    if (why) return { ...rest, outcome: 'error', content: `Error [failed]: ${why} ${said.nothingChanged}` };
    const both = changes.filter(({ path }) => changedBy.has(path)).map(({ path }) => path);
    for (const { path } of changes) changedBy.set(path, result.callId);
    return both.length > 0 ? { ...result, content: result.content + said.changedByTwo(both) } : result;
  });
}

/** Stores the tree that the changes lead to, and returns its hash. */
export async function treeAfter(of: FilesOf, changes: readonly FileChange[]): Promise<string> {
  return putTree(of.key, applied(await treeOf(of), changes), of.blobs);
}
