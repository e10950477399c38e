import { defined } from '../../plain/defined.ts';
import type { Proposed, ProposedCall } from '../../session/proposals.ts';
import type { Session } from '../../session/session.ts';
import type { FileChange, Made, ToolResult } from '../../session/slots.ts';
import { queuedIn } from '../../session/waits.ts';
import { proposes } from '../../tools/planning.ts';
import type { Tool } from '../../tools/tool.ts';
import { readWorkspaces } from '../../workspace/open.ts';
import { treeOf } from '../../workspace/tree.ts';
import type { Step } from '../open/step-context.ts';
import { type BatchFiles, filesAfter, filesOf } from '../open/workspace-files.ts';

/** Changes in one plan. People read all of them, and HEAD records the place of each. */
const MAX_CHANGES = 50;
/** File changes in one plan. */
const MAX_FILES = 200;

/** Text that the model reads about a proposed change. */
const isProposed = (n: number) =>
  `Proposed as change ${n} of your plan; nothing has changed yet. Go on as if it were done: you see files as they would be. When your plan is complete, end your turn: the user is shown all of it and decides.`;
const full = `Error [refused]: a plan has room for ${MAX_CHANGES} changes, and for ${MAX_FILES} changes of files. This one was not proposed. End your turn, so that the user decides on those that are.`;

/** The results of a batch whose changes are only proposed, with the numbers of the proposals, and the tree as it would be afterwards. */
export async function draftAfter(
  step: Pick<Step, 'io' | 'loaded' | 'session' | 'tools'>,
  session: Session,
  tree: string | undefined,
  ran: readonly ToolResult[],
  made: Made['by'] | undefined,
): Promise<BatchFiles> {
  // Calls that the system runs to inspect the draft propose nothing.
  if (made) return { results: ran.map(({ changes: _, ...result }) => result), tree, changes: [] };
  const before = session.proposed ?? { files: 0, changes: [] };
  const queued = queuedIn(step.session.batch);
  // In the order in which they count: queued calls come after the calls whose changes they have seen.
  const inOrder = [
    ...ran.filter(({ callId }) => !queued.has(callId)),
    ...ran.filter(({ callId }) => queued.has(callId)),
  ];
  const taken = new Set<string>();
  let files = before.files;
  for (const result of inOrder) {
    const more = result.changes?.length ?? 0;
    if (!isProposal(step.tools, result)) continue;
    if (before.changes.length + taken.size >= MAX_CHANGES || files + more > MAX_FILES) continue;
    files += more;
    taken.add(result.callId);
  }
  const fits = (result: ToolResult) => taken.has(result.callId) || !isProposal(step.tools, result);
  const bounded = ran.map((result) => (fits(result) ? result : tooMany(result)));
  if (taken.size === 0) return { results: bounded, tree, changes: [] };
  const after = await filesAfter(step, tree, bounded);
  const { warm } = await readWorkspaces();
  const at = new Map<string, string>();
  for (const [path, { hash }] of await treeOf(filesOf(step, tree, warm))) at.set(path, hash);
  const changed = new Map(after.results.map(({ callId, changes }) => [callId, changes]));
  // Each change is based on what the changes before it have left.
  const based = new Map(
    inOrder.map(({ callId }) => [callId, changed.get(callId)?.map((change) => withBase(change, at))]),
  );
  const numbers = new Map([...taken].map((callId, i) => [callId, before.changes.length + i + 1]));
  const results = after.results.map((result) => {
    const n = numbers.get(result.callId);
    if (n === undefined || result.outcome !== 'ok') return result;
    const changes = based.get(result.callId);
    return numbered({ ...result, ...defined({ changes }) }, n);
  });
  return { ...after, results };
}

/** A change together with the content that it was made from. */
function withBase(change: FileChange, at: Map<string, string>): FileChange {
  const from = at.get(change.path);
  if (change.hash === undefined) at.delete(change.path);
  else at.set(change.path, change.hash);
  return { ...change, ...defined({ from }) };
}

function isProposal(tools: readonly Tool[], { name, outcome, changes }: ToolResult): boolean {
  const tool = tools.find((one) => one.name === name);
  return outcome === 'ok' && proposes(tool, changes !== undefined);
}

const tooMany = ({ changes: _, json: __, ...result }: ToolResult): ToolResult => ({
  ...result,
  outcome: 'refused',
  content: full,
});

function numbered(result: ToolResult, proposed: number): ToolResult {
  const { content, json, blob } = result;
  const text = isProposed(proposed);
  if (json && !blob) {
    const value: unknown = JSON.parse(content);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { ...result, proposed, content: JSON.stringify({ ...value, plan: text }) };
  }
  const { json: _, ...plain } = result;
  return { ...plain, proposed, content: `${content}\n[steploop] ${text}` };
}

/** The session with the proposals of a batch added. */
export function withProposed(
  session: Session,
  slot: number,
  { results, tree }: Pick<BatchFiles, 'results' | 'tree'>,
): Session {
  const fresh = results.filter(({ proposed }) => proposed !== undefined);
  if (fresh.length === 0) return session;
  const before = session.proposed;
  // The numbers are in the order in which the changes count.
  const calls = fresh.toSorted((a, b) => (a.proposed ?? 0) - (b.proposed ?? 0));
  const proposed: Proposed = {
    ...defined({ tree }),
    files: (before?.files ?? 0) + fresh.reduce((sum, { changes = [] }) => sum + changes.length, 0),
    changes: [...(before?.changes ?? []), ...calls.map(({ callId }): ProposedCall => ({ slot, callId }))],
  };
  return { ...session, proposed };
}
