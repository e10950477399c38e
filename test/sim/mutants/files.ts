/** Mutants of the workspace (`shared/agent/workspace`): what calls make of files, and when it counts. */

import { type Mutant, mutant } from './mutant.ts';

const agent = (name: string) => `shared/agent/${name}.ts`;
const batchFiles = agent('step/open/workspace-files');
const runBatch = agent('step/batch/run-batch');
const runCalls = agent('step/batch/run-calls');
const call = agent('workspace/lazy/call');
const outcomes = agent('step/end/outcomes');
const inputFiles = agent('step/model/input-files');

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
    '    ...(session.workspace && { workspace: session.workspace }),\n',
    '',
  ),
  mutant(
    'files: HEAD stays at the tree before',
    runBatch,
    '      ? { ...plan.session, workspace: files.tree }\n',
    '      ? plan.session\n',
  ),
  mutant(
    'files: a recovered batch has changed nothing',
    runBatch,
    'recovered.draft : recovered.workspace, changes',
    'recovered.draft : before, changes',
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
    'files: are set back over what has come since',
    'shared/memory/transitions.ts',
    'head.sweepAt !== undefined || !isAsSeen',
    'head.sweepAt !== undefined',
  ),
  mutant(
    'files: are set back, and the model is not told',
    agent('doors/files'),
    'const to = { workspace: found.hash, nudges };',
    'const to = { workspace: found.hash, nudges: session.nudges.slice(nudges.length) };',
  ),
  mutant('files: what a call reads is everybody’s', call, 'return bytes.slice();', 'return bytes;'),
  mutant('files: what a call writes stays its own', call, ': content.slice();', ': content;'),
  mutant(
    'files: a workspace has room for each file',
    agent('workspace/draft'),
    'if (more > 0 && total + more > limits.bytes)',
    'if (more > limits.bytes)',
  ),
  mutant(
    'files: one more than there may be',
    agent('workspace/draft'),
    'files.size >= limits',
    'files.size > limits',
  ),
  mutant(
    'files: a file may be a folder',
    agent('workspace/draft'),
    'if (folders.has(path)) return',
    'if (false) return',
  ),
  mutant(
    'files: side by side there is room for each',
    agent('workspace/lazy/together'),
    'const why = draft.changeAll(changes);',
    "const why: string = '';",
  ),
  mutant(
    'sent: a file may be as large as it is',
    agent('workspace/draft'),
    'if (bytes > limits.fileBytes) return tooLarge(path, bytes, limits);',
    '',
  ),
  mutant(
    'sent: who takes over leaves out what came with messages',
    inputFiles,
    'if (sent.length === 0 || (step.recovered.model && !proposed))',
    'if (sent.length === 0 || step.recovered.model || step.isRetry)',
  ),
  {
    name: 'sent: who adopts a reply takes in again what came before it',
    edits: [
      {
        file: inputFiles,
        find: 'if (sent.length === 0 || (step.recovered.model && !proposed))',
        replace: 'if (sent.length === 0)',
      },
      {
        file: inputFiles,
        find: '  if (step.recovered.model) return { ...turn, session',
        replace: '  if (step.recovered.fold) return { ...turn, session',
      },
    ],
  },
  mutant(
    'sent: who adopts a reply has not what came before it',
    agent('step/model/turn'),
    'nudges: [], ...(workspace && { workspace }) }',
    'nudges: [] }',
  ),
  mutant(
    'sent: nobody is told what found no room',
    inputFiles,
    'input: refused.length > 0 ?',
    'input: refused.length < 0 ?',
  ),
  mutant(
    'sent: a message is kept, and not what came with it',
    agent('workspace/content'),
    '  await blobs.putBytes(contentKey(key, hash), bytes);\n',
    '',
  ),
  mutant(
    'sent: an event in the inbox has lost its files',
    agent('doors/accept'),
    '    ...(attachments && { attachments }),\n',
    '',
  ),
];
