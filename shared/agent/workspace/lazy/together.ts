import type { SessionKey } from '../../../contract/session.ts';
import type { WorkspaceLimits } from '../../config/limits.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { FileChange, ToolResult } from '../../session/slots.ts';
import { applied } from '../changes.ts';
import { draftOf } from '../draft.ts';
import { putTree, treeOf } from '../tree.ts';

/** What the model reads of calls that ran beside one another. */
const said = {
  /** What a call has changed in the workspace does not fit beside what others of its batch have. */
  nothingChanged:
    'Other calls of this reply have changed files too. What this one changed does not count: make it again.',
  /** Two calls of a batch that ran beside each other have changed one file. */
  changedByTwo: (paths: readonly string[]) =>
    `\n[steploop] Another call of the same reply has changed this too, without seeing it: ${paths.slice(0, 10).join(', ')}${paths.length > 10 ? ', …' : ''}. What this call has made of it stands, and the other's is gone. Look at it before you go on.`,
};

/** Where the files of a batch are. */
export interface FilesOf {
  readonly key: SessionKey;
  /** Hash of the tree that the batch began with; undefined when the session has no file. */
  readonly tree: string | undefined;
  readonly limits: WorkspaceLimits;
  /** Of a worker that is warm. */
  readonly blobs: Pick<Blobs, 'getBytes' | 'putBytes'>;
}

/**
 * The results of calls that ran beside one another, none of which has seen what the others changed. Each alone was within the
 * limits: one whose changes do not fit with those before it has failed, and changes nothing. Where two have changed a file the
 * later call's version stands, and its result says so.
 *
 * @param others what is changed beside them, and stands
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

/** Keeps the tree that the changes lead to, and tells its hash. */
export async function treeAfter(of: FilesOf, changes: readonly FileChange[]): Promise<string> {
  return putTree(of.key, applied(await treeOf(of), changes), of.blobs);
}
