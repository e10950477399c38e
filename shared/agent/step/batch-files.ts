import type { FileChange, ToolResult } from '../session/slots.ts';
import { readWorkspaces } from '../workspace/open.ts';
import type { Step } from './opened.ts';

/** What the calls have changed in the workspace, in their order. */
export const changesOf = (results: readonly ToolResult[]): readonly FileChange[] =>
  results.flatMap(({ changes = [] }) => changes);

/** The results of calls that ran beside one another: what several of them have changed is looked at together. */
export async function fitTogether(
  step: Step,
  tree: string | undefined,
  before: readonly FileChange[],
  results: readonly ToolResult[],
): Promise<readonly ToolResult[]> {
  if (results.filter(({ changes }) => changes).length < 2) return results;
  return (await readWorkspaces()).fitting(filesOf(step, tree), before, results);
}

/**
 * The results of a whole batch, and the tree of the workspace after it. What ran in a step comes first, since queued calls have
 * seen it; of these none has seen another.
 */
export async function filesAfter(
  step: Step,
  tree: string | undefined,
  results: readonly ToolResult[],
): Promise<{ readonly results: readonly ToolResult[]; readonly tree: string | undefined }> {
  if (changesOf(results).length === 0) return { results, tree };
  const waited = new Set(step.session.batch?.waits.map(({ callId }) => callId));
  const here = changesOf(results.filter(({ callId }) => !waited.has(callId)));
  const queued = results.filter(({ callId }) => waited.has(callId));
  const fit = await fitTogether(step, tree, here, queued);
  const { treeAfter } = await readWorkspaces();
  const after = await treeAfter(filesOf(step, tree), [...here, ...changesOf(fit)]);
  return { results: results.map((result) => fit[queued.indexOf(result)] ?? result), tree: after };
}

const filesOf = ({ loaded, io }: Step, tree: string | undefined) => ({
  key: loaded.key,
  tree,
  limits: loaded.pinned.limits.workspace,
  blobs: io.blobs,
});
