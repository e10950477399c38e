/** Mutants of the workspace (`shared/agent/workspace`): what calls change in files, and when it counts. */

import { type Mutant, mutant } from './mutant.ts';

const agent = (name: string) => `shared/agent/${name}.ts`;
const batchFiles = agent('step/open/workspace-files');
const runBatch = agent('step/batch/run-batch');
const runCalls = agent('step/batch/run-calls');
const call = agent('workspace/of-calls/call');
const keptReply = agent('step/end/kept-reply');
const inputFiles = agent('step/model/input-files');

export const fileMutants: readonly Mutant[] = [
  mutant(
    'files: approved calls count last',
    agent('session/waits'),
    "(kind === 'call' ? [callId] : [])",
    '[callId]',
  ),
  mutant(
    'files: queued calls count first',
    batchFiles,
    '[...here, ...changesOf(fit)]',
    '[...changesOf(fit), ...here]',
  ),
  mutant(
    'files: a call does not see earlier changes',
    runCalls,
    'changesOf(inOrder(calls.slice(0, calls.indexOf(planned)), known));',
    'changesOf(inOrder([], known));',
  ),
  mutant(
    'files: a call sees later changes',
    runCalls,
    'changesOf(inOrder(calls.slice(0, calls.indexOf(planned)), known));',
    'changesOf(inOrder(calls.filter((one) => one !== planned), known));',
  ),
  mutant(
    'files: a result is reported before it is checked',
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
    'files: HEAD stays at the previous tree',
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
    keptReply,
    '    ...(turn.session.workspace && { workspace: turn.session.workspace }),\n',
    '',
  ),
  mutant(
    'files: written content is not kept',
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
    'files: a read-only call may write',
    call,
    "    if (!of.writes) throw new Error('a tool of the effect `read` changes no files: declare it `idempotent`');\n",
    '',
  ),
  mutant('files: a call does not read its own writes', call, 'written.get(file.hash) ??', 'undefined ??'),
  mutant(
    'files: removed files stay',
    agent('workspace/changes'),
    'return [...gone.map((path) => ({ path })), ...written',
    'return [...written',
  ),
  mutant(
    'files: a queued call sees changes of other queued calls',
    agent('entrypoints/call'),
    'queued.has(id) ? [] : (kept.find(({ callId }) => callId === id)?.changes ?? []),',
    'kept.find(({ callId }) => callId === id)?.changes ?? [],',
  ),
  mutant(
    'files: a queued call does not see changes from the step',
    agent('entrypoints/call'),
    'queued.has(id) ? [] : (kept.find(({ callId }) => callId === id)?.changes ?? []),',
    '[],',
  ),
  mutant(
    'files: are restored in the middle of a run',
    'shared/memory/transitions.ts',
    'head.sweepAt !== undefined || !isAsSeen',
    '!isAsSeen',
  ),
  mutant(
    'files: are restored over later changes',
    'shared/memory/transitions.ts',
    'head.sweepAt !== undefined || !isAsSeen',
    'head.sweepAt !== undefined',
  ),
  mutant(
    'files: are restored, and the model is not told',
    agent('entrypoints/files'),
    'const to = { workspace: found.hash, nudges };',
    'const to = { workspace: found.hash, nudges: session.nudges.slice(nudges.length) };',
  ),
  mutant('files: the bytes that a call reads are shared', call, 'return bytes.slice();', 'return bytes;'),
  mutant('files: the bytes that a call writes stay its own', call, ': content.slice();', ': content;'),
  mutant(
    'files: a workspace has room for any number of files',
    agent('workspace/draft'),
    'if (more > 0 && total + more > limits.bytes)',
    'if (more > limits.bytes)',
  ),
  mutant(
    'files: one more than allowed',
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
    'files: parallel calls each get all the room',
    agent('workspace/of-calls/together'),
    'const why = draft.changeAll(changes);',
    "const why: string = '';",
  ),
  mutant(
    'sent: a file may have any size',
    agent('workspace/draft'),
    'if (bytes > limits.fileBytes) return tooLarge(path, bytes, limits);',
    '',
  ),
  mutant(
    'sent: a takeover leaves out the files of messages',
    inputFiles,
    'if (sent.length === 0 || (step.recovered.model && !proposed))',
    'if (sent.length === 0 || step.recovered.model || step.isRetry)',
  ),
  {
    name: 'sent: an adopted reply takes the earlier files in again',
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
    'sent: an adopted reply lacks the earlier files',
    agent('step/model/turn'),
    'nudges: [], ...(workspace && { workspace }) }',
    'nudges: [] }',
  ),
  mutant(
    'sent: files without room are not reported',
    inputFiles,
    'input: refused.length > 0 ?',
    'input: refused.length < 0 ?',
  ),
  mutant(
    'sent: a message is kept without its files',
    agent('workspace/content'),
    '  await blobs.putBytes(contentKey(key, hash), bytes);\n',
    '',
  ),
  mutant(
    'sent: an event in the inbox has lost its files',
    agent('ports/inbox'),
    'defined({ attachments, control,',
    'defined({ control,',
  ),
];
