/** Mutants of the workspace (`shared/agent/workspace`): what calls make of files, and when it counts. */

import { type Mutant, mutant } from './mutant.ts';

const agent = (name: string) => `shared/agent/${name}.ts`;
const batchFiles = agent('step/batch-files');
const runBatch = agent('step/run-batch');
const runCalls = agent('step/run-calls');
const call = agent('workspace/lazy/call');
const outcomes = agent('step/outcomes');

export const fileMutants: readonly Mutant[] = [
  mutant(
    'files: what people have approved counts last',
    agent('session/waits'),
    "(kind === 'call' ? [callId] : [])",
    '[callId]',
  ),
  mutant(
    'files: what was queued counts first',
    batchFiles,
    '[...here, ...changesOf(fit)]',
    '[...changesOf(fit), ...here]',
  ),
  mutant(
    'files: a call does not see what was changed before it',
    runCalls,
    'changesOf(inOrder(calls.slice(0, calls.indexOf(planned)), known));',
    'changesOf(inOrder([], known));',
  ),
  mutant(
    'files: a call sees what was changed after it',
    runCalls,
    'changesOf(inOrder(calls.slice(0, calls.indexOf(planned)), known));',
    'changesOf(inOrder(calls.filter((one) => one !== planned), known));',
  ),
  mutant(
    'files: a result is told before it is looked at',
    runCalls,
    '&& queuedIn(step.session.batch).size === 0;',
    ';',
  ),
  mutant(
    'files: the slot does not name its tree',
    runBatch,
    '    ...(files.tree && { workspace: files.tree }),\n',
    '',
  ),
  mutant(
    'files: HEAD stays at the tree before',
    runBatch,
    'const session = files.tree ? { ...plan.session, workspace: files.tree } : plan.session;',
    'const { session } = plan;',
  ),
  mutant(
    'files: an adopted batch has changed nothing',
    runBatch,
    'tree: adopted.workspace, changes',
    'tree: before, changes',
  ),
  mutant(
    'files: a reply names no tree',
    outcomes,
    '    ...(turn.session.workspace && { workspace: turn.session.workspace }),\n',
    '',
  ),
  mutant(
    'files: what is written is not kept',
    call,
    '            if (bytes) await blobs.putBytes(contentKey(key, hash), bytes);\n',
    '',
  ),
  mutant(
    'files: a tree is not kept',
    agent('workspace/tree'),
    '  await blobs.putBytes(treeKey(key, hash), bytes);\n',
    '',
  ),
  mutant(
    'files: who only reads may write',
    call,
    "    if (!of.writes) throw new Error('a tool of the effect `read` changes no files: declare it `idempotent`');\n",
    '',
  ),
  mutant(
    'files: a call does not read what it has written',
    call,
    'written.get(file.hash) ??',
    'undefined ??',
  ),
  mutant(
    'files: what is removed stays',
    agent('workspace/changes'),
    'return [...gone.map((path) => ({ path })), ...written',
    'return [...written',
  ),
  mutant(
    'files: a queued call sees what others have changed in the queue',
    agent('doors/call'),
    'queued.has(id) ? [] : (kept.find(({ callId }) => callId === id)?.changes ?? []),',
    'kept.find(({ callId }) => callId === id)?.changes ?? [],',
  ),
  mutant(
    'files: a queued call does not see what has run in the step',
    agent('doors/call'),
    'queued.has(id) ? [] : (kept.find(({ callId }) => callId === id)?.changes ?? []),',
    '[],',
  ),
  mutant(
    'files: are set back in the middle of a run',
    'shared/memory/transitions.ts',
    'head.sweepAt !== undefined || !isAsSeen',
    '!isAsSeen',
  ),
  mutant(
    'files: are set back, and the model is not told',
    agent('doors/files'),
    'const to = { workspace: found.hash, nudges };',
    'const to = { workspace: found.hash, nudges: session.nudges.slice(nudges.length) };',
  ),
];
