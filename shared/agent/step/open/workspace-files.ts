import type { FileChange, ToolResult } from '../../session/slots.ts';
import { queuedIn } from '../../session/waits.ts';
import { readWorkspaces } from '../../workspace/open.ts';
import type { Step } from './step-context.ts';

/**
 * Changes that a slot says by call. Those of a batch with more are in its tree alone: steps read their slots for as long as they
 * are in the model's context.
 */
const MAX_SAID = 200;

/** What the calls have changed in the workspace, in their order. */
export const changesOf = (results: readonly ToolResult[]): readonly FileChange[] =>
  results.flatMap(({ changes = [] }) => changes);

/**
 * The results of calls that ran beside one another: what several of them have changed is looked at together.
 *
 * @param others what else of the batch is known to have changed
 * @param unseen some of it may have been done after these calls were asked for: by a dead owner, of which they have seen nothing
 */
export async function fitTogether(
  step: Step,
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
  /** As its slot keeps them. */
  readonly results: readonly ToolResult[];
  /** Hash of the tree of the workspace after it; undefined when there is no file. */
  readonly tree: string | undefined;
  readonly changes: readonly FileChange[];
}

/**
 * The results of a whole batch, and the tree of the workspace after it. What ran in a step comes first, since queued calls have
 * seen it; of these none has seen another.
 *
 * @param inOrder each call has seen what those before it have changed, wherever they ran
 */
export async function filesAfter(
  step: Step,
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

/** Paths that an event names. HEAD holds it, and is written twice a step. */
const MAX_TOLD = 20;

/** Says with the commit which files have changed. */
export function tellFiles({ atCommit }: Step, slot: number, changes: readonly FileChange[]): void {
  const last = new Map(changes.map((change) => [change.path, change]));
  if (last.size === 0) return;
  const changed = [...last.values()].slice(0, MAX_TOLD).map(({ path, bytes }) => ({ path, bytes }));
  atCommit.push({ type: 'CUSTOM', name: 'steploop.files', value: { slot, count: last.size, changed } });
}

/** Where the session's files are. */
export const filesOf = ({ loaded, io }: Step, tree: string | undefined, warm: Warm) => ({
  key: loaded.key,
  tree,
  limits: loaded.pinned.limits.workspace,
  blobs: warm(io.blobs, io.clock),
});

type Warm = Awaited<ReturnType<typeof readWorkspaces>>['warm'];
