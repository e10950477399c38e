import type { FileChange, ToolResult } from '../../session/slots.ts';
import { queuedIn } from '../../session/waits.ts';
import { readWorkspaces } from '../../workspace/open.ts';
import type { Step } from './step-context.ts';

/**
 * File changes that a slot lists by call. If a batch has more, only its tree contains them: steps read their slots for as long
 * as they are in the model's context.
 */
const MAX_SAID = 200;

/** The calls' changes to the workspace, in call order. */
export const changesOf = (results: readonly ToolResult[]): readonly FileChange[] =>
  results.flatMap(({ changes = [] }) => changes);

/**
 * The results of calls that ran in parallel: changes that several of them made are compared.
 *
 * @param others other known changes of the batch
 * @param unseen some of these may have been made after these calls were asked for, by a dead owner, so the calls have not seen
 *   them
 */
export async function fitTogether(
  step: Pick<Step, 'io' | 'loaded'>,
  tree: string | undefined,
  others: readonly FileChange[],
  results: readonly ToolResult[],
  unseen = false,
): Promise<readonly ToolResult[]> {
  const changing = results.filter(({ changes }) => changes).length;
  if (changing < 2 && !(unseen && changing > 0)) return results;
  const { fitting, warm } = await readWorkspaces();
  return fitting(filesOf(step, tree, warm), others, results);
}

/** A batch that has run. */
export interface BatchFiles {
  /** As its slot stores them. */
  readonly results: readonly ToolResult[];
  /** Hash of the workspace's tree after it; undefined if there is no file. */
  readonly tree: string | undefined;
  readonly changes: readonly FileChange[];
}

/**
 * The results of a whole batch, and the tree of the workspace after it. Calls that ran in a step come first, since queued calls
 * have seen their changes; queued calls have not seen each other's.
 *
 * @param inOrder each call has seen the changes of those before it, wherever they ran
 */
export async function filesAfter(
  step: Pick<Step, 'io' | 'loaded' | 'session'>,
  tree: string | undefined,
  results: readonly ToolResult[],
  inOrder = false,
): Promise<BatchFiles> {
  if (changesOf(results).length === 0) return { results, tree, changes: [] };
  const ranElsewhere = inOrder ? new Set<string>() : queuedIn(step.session.batch);
  const here = changesOf(results.filter(({ callId }) => !ranElsewhere.has(callId)));
  const queued = results.filter(({ callId }) => ranElsewhere.has(callId));
  const fit = await fitTogether(step, tree, here, queued);
  const { treeAfter, warm } = await readWorkspaces();
  const changes = [...here, ...changesOf(fit)];
  const after = await treeAfter(filesOf(step, tree, warm), changes);
  const all = results.map((result) => fit[queued.indexOf(result)] ?? result);
  const said =
    changes.length <= MAX_SAID
      ? all
      : all.map((result) => (result.changes ? { ...result, changes: [] } : result));
  return { results: said, tree: after, changes };
}

/** Paths that an event names. They are part of HEAD, which is written twice a step. */
const MAX_TOLD = 20;

/** Tells with the commit which files have changed. */
export function tellFiles(
  { atCommit }: Pick<Step, 'atCommit'>,
  slot: number,
  changes: readonly FileChange[],
): void {
  const last = new Map(changes.map((change) => [change.path, change]));
  if (last.size === 0) return;
  const changed = [...last.values()].slice(0, MAX_TOLD).map(({ path, bytes }) => ({ path, bytes }));
  atCommit.push({ type: 'CUSTOM', name: 'steploop.files', value: { slot, count: last.size, changed } });
}

/** The place of the session's files. */
export const filesOf = (
  { loaded, io }: Pick<Step, 'loaded' | 'io'>,
  tree: string | undefined,
  warm: Warm,
) => ({
  key: loaded.key,
  tree,
  limits: loaded.pinned.limits.workspace,
  blobs: warm(io.blobs, io.clock),
});

type Warm = Awaited<ReturnType<typeof readWorkspaces>>['warm'];
