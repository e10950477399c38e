/** Mutants of waits: approvals, questions and queued calls, in the core and in the store. */

import { type Mutant, mutant } from './mutant.ts';

const agent = (name: string) => `shared/agent/${name}.ts`;
const transitions = 'shared/memory/transitions.ts';
const wakeTimes = 'shared/agent/session/wake.ts';
const call = agent('entrypoints/call');
const close = agent('step/batch/close-batch');
const decided = agent('step/batch/decided-calls');
const commit = agent('step/end/commit');
const conclude = agent('step/end/conclude');
const decide = agent('entrypoints/decide');
const runBatch = agent('step/batch/run-batch');
const runCalls = agent('step/batch/run-calls');
const waits = agent('step/batch/waits');
const waiting = agent('step/open/waiting');

/** The queue that a wake is sent to. */
const laneMutants: readonly Mutant[] = [
  mutant('lanes: one too many', 'shared/aws/lanes.ts', '16) % lanes;', '16) % (lanes + 1);'),
];

/** HEAD's handling of a decision. */
const decisionMutants: readonly Mutant[] = [
  mutant(
    'decide: while a step owns it',
    transitions,
    'if (head.pending.includes(waitId) && head.owner === undefined) {',
    'if (head.pending.includes(waitId)) {',
  ),
  mutant(
    'decide: nothing waits',
    transitions,
    'if (head.pending.includes(waitId) && head.owner === undefined) {',
    'if (head.owner === undefined) {',
  ),
  mutant(
    'decide: it stays pending',
    transitions,
    'pending: without(head.pending, [waitId]),',
    'pending: head.pending,',
  ),
  mutant('decide: not due', transitions, '      ...dueNow(decision.at),\n', ''),
  mutant(
    'decide: keeps the distant sweep',
    transitions,
    '      ...dueNow(decision.at),\n',
    '      dueAt: decision.at,\n',
  ),
  mutant(
    'decide: does not recognize its own',
    transitions,
    "kept && isSameDecision(kept, decision) ? 'decided' : 'closed'",
    "'closed'",
  ),
  mutant(
    'decide: any decision is its own',
    transitions,
    'kept && isSameDecision(kept, decision) ?',
    'kept ?',
  ),
  mutant(
    'a decision without a wake',
    decide,
    "    if (decided === 'decided') {\n      await io.queue.send(wakeFor(session));\n",
    "    if (decided === 'decided') {\n",
  ),
  mutant(
    'a repeated decision sends no wake',
    decide,
    "      await io.queue.send(wakeFor(session));\n      return 'already_decided';",
    "      return 'already_decided';",
  ),
  mutant('a decision after its time', decide, ' || wait.expiresAt <= now)\n', ')\n'),
];

/** HEAD's handling of a queued call, a cancel or a commit during a wait. */
const headMutants: readonly Mutant[] = [
  mutant(
    'beginCall: nothing waits',
    transitions,
    '!head?.pending.includes(waitId) || head.cancelGen',
    '!head || head.cancelGen',
  ),
  mutant('beginCall: cancelled', transitions, ' || head.cancelGen !== head.session.cancelSeen)', ')'),
  mutant(
    'beginCall: while a step owns it',
    transitions,
    'if (head.owner === undefined && (!before || (again && before.until <= now))) {',
    'if (!before || (again && before.until <= now)) {',
  ),
  mutant(
    'beginCall: started before',
    transitions,
    'if (head.owner === undefined && (!before || (again && before.until <= now))) {',
    'if (head.owner === undefined) {',
  ),
  mutant(
    'beginCall: a once call again',
    transitions,
    '(again && before.until <= now)',
    'before.until <= now',
  ),
  mutant(
    'beginCall: does not recognize its own',
    transitions,
    "  if (before?.invocationId === start.invocationId) return { answer: { kind: 'begun' } };\n",
    '',
  ),
  mutant(
    'finishCall: nothing waits',
    transitions,
    "  if (!head?.pending.includes(waitId)) return { answer: 'closed' };\n  const pending = without(head.pending, [waitId]);\n  if",
    "  if (!head) return { answer: 'closed' };\n  const pending = without(head.pending, [waitId]);\n  if",
  ),
  mutant(
    'finishCall: it stays pending',
    transitions,
    'const pending = without(head.pending, [waitId]);\n  if',
    'const pending = head.pending;\n  if',
  ),
  mutant(
    'finishCall: any is the last',
    transitions,
    "  if (pending.length > 0) return { head: { ...head, pending }, answer: 'more' };\n",
    '',
  ),
  mutant(
    'finishCall: none is the last',
    transitions,
    "  if (pending.length > 0) return { head: { ...head, pending }, answer: 'more' };\n",
    "  if (pending.length >= 0) return { head: { ...head, pending }, answer: 'more' };\n",
  ),
  mutant(
    'finishCall: not due',
    transitions,
    "pending, ...dueNow(now) }, answer: 'last'",
    "pending }, answer: 'last'",
  ),
  mutant(
    'finishCall: keeps the distant sweep',
    transitions,
    "pending, ...dueNow(now) }, answer: 'last'",
    "pending, dueAt: now }, answer: 'last'",
  ),
  mutant(
    'commit: pending is not set',
    transitions,
    'pending: union([], waits), decisions: {}',
    'decisions: {}',
  ),
  mutant('commit: keeps the decisions', transitions, 'decisions: {}, starts: {} }),', 'starts: {} }),'),
  mutant('commit: keeps the starts', transitions, 'decisions: {}, starts: {} }),', 'decisions: {} }),'),
  mutant(
    'commit: forgets what it must keep',
    transitions,
    "...(waits !== 'keep' && { pending: union([], waits), decisions: {}, starts: {} }),",
    "pending: waits === 'keep' ? [] : union([], waits), decisions: {}, starts: {},",
  ),
  mutant(
    'commit: waits for people over an event',
    transitions,
    "next.kind === 'rest' || next.kind === 'wait_for_people';",
    "next.kind === 'rest';",
  ),
  mutant(
    'commit: no sweep after a wait for people',
    wakeTimes,
    'return { sweepAt: next.until };',
    'return {};',
  ),
  mutant(
    'a wait for people ends at the sweep',
    'shared/agent/step/end/commit.ts',
    "  if (next.kind === 'rest') return;\n",
    "  if (next.kind === 'rest' || next.kind === 'wait_for_people') return;\n",
  ),
  mutant(
    'commit: no sweep after a wait for calls',
    wakeTimes,
    'return { dueAt: next.until, sweepAt, backstopAt: sweepAt };',
    'return { dueAt: next.until };',
  ),
  mutant(
    'announce: keeps the distant sweep',
    transitions,
    '...(head.dueAt === undefined && dueNow(now)),',
    '...(head.dueAt === undefined && { ...dueNow(now), ...(head.sweepAt && { sweepAt: head.sweepAt }) }),',
  ),
  mutant(
    'cancel: keeps the distant sweep',
    transitions,
    "...dueNow(now) }, answer: 'cancelled'",
    "...dueNow(now), sweepAt: head.sweepAt }, answer: 'cancelled'",
  ),
  mutant(
    'cancel: not during a wait for people',
    transitions,
    "if (head.sweepAt === undefined && !head.session.background) return { answer: 'idle' };\n  return { head: { ...head, cancelGen",
    "if (head.dueAt === undefined) return { answer: 'idle' };\n  return { head: { ...head, cancelGen",
  ),
  mutant('postpone: not due', transitions, 'dueAt: head.dueAt ?? now,', 'dueAt: head.dueAt,'),
];

/** A tool queue worker's actions. */
const callMutants: readonly Mutant[] = [
  mutant(
    'the wake is sent before the last call is taken out',
    call,
    '  const finished = await io.sessions.finishCall(message, message.waitId, io.clock.now());\n',
    "  await io.queue.send(wakeFor(session));\n  await io.sessions.finishCall(message, message.waitId, io.clock.now());\n  const finished: string = 'more';\n",
  ),
  mutant(
    'no wake after the last call',
    call,
    "  if (finished === 'last') await io.queue.send(wakeFor(session));\n",
    '',
  ),
  mutant(
    'the wake of a call is deduplicated',
    call,
    '  if (!found) return wakeIfSettled(message, io);\n  const { view, call, pinned } = found;',
    "  if (!found) return 'ack';\n  const { view, call, pinned } = found;",
  ),
  mutant(
    'the wake of a call that is closed is deduplicated',
    call,
    "await hide(begun.until);\n      return 'retry';\n    case 'closed':\n      return wakeIfSettled(message, io);",
    "await hide(begun.until);\n      return 'retry';\n    case 'closed':\n      return 'ack';",
  ),
  mutant(
    'the wake of a call that is finished is deduplicated',
    call,
    "if (finished === 'closed') return wakeIfSettled(message, io);",
    "if (finished === 'closed') return 'ack';",
  ),
  mutant(
    'the wake of a call waits for the worker’s clock',
    call,
    'view.fence.pending.length === 0;',
    'view.fence.pending.length === 0 && (view.dueAt ?? 0) <= io.clock.now();',
  ),
  mutant(
    'a call is taken out before its result is kept',
    call,
    '  else await io.sessions.putResult(message, message.slot, result);\n  return taken(message, session, io);\n',
    '  const settlement = await taken(message, session, io);\n  if (!result.awaits) await io.sessions.putResult(message, message.slot, result);\n  return settlement;\n',
  ),
  mutant(
    'the result of a call is dropped',
    call,
    '  else await io.sessions.putResult(message, message.slot, result);\n',
    '',
  ),
  mutant('ack when running', call, "await hide(begun.until);\n      return 'retry';", "return 'ack';"),
  mutant('a dead call is dropped', call, 'return finishDied(message, view, call, io);', "return 'ack';"),
  mutant('a once call begins again', call, "first.kind === 'died' && reruns", "first.kind === 'died'"),
  mutant(
    'a live worker’s call is given up',
    call,
    "case 'died':\n    case 'running':\n      return 'retry';",
    "case 'died':\n    case 'running':\n      return finish(message, view, notRun(call, 'unknown', texts.unknownOutcome), io);",
  ),
  mutant(
    'a worker that was frozen runs its call',
    call,
    "      if (io.clock.now() > now + STARTS_MS) return 'retry';\n",
    '',
  ),
  mutant(
    'dead letters of calls are dropped',
    call,
    "      return died\n        ? finishDied(message, view, call, io)\n        : finish(message, view, notRun(call, 'cancelled', texts.callDied), io);\n",
    "      return 'ack';\n",
  ),
];

/** The steps around a wait. */
const stepMutants: readonly Mutant[] = [
  mutant(
    'early: calls are not sent again',
    commit,
    '      await sendCalls(claim.view.session, io, claim.view.fence.pending);\n',
    '',
  ),
  mutant(
    'calls are not sent',
    commit,
    "  if (next.kind === 'wait_for_calls') await sendCalls(session, io);\n",
    '',
  ),
  {
    name: 'calls are sent before the commit',
    edits: [
      {
        file: commit,
        find: "  if (next.kind === 'wait_for_calls') await sendCalls(session, io);\n",
        replace: '',
      },
      {
        file: commit,
        find: '    const { next, waits } = concluded;\n',
        replace:
          "    const { next, waits } = concluded;\n    if (next.kind === 'wait_for_calls') await sendCalls(session, io);\n",
      },
    ],
  },
  mutant('continue waiting: over later events', commit, 'seen === fence\n', 'seen\n'),
  mutant(
    'a wait id without its kind',
    waits,
    "kind: Wait['kind'], call: ToolCall): string =>",
    "_kind: Wait['kind'], call: ToolCall, kind = 'wait'): string =>",
  ),
  mutant(
    'a wait id without its slot',
    waits,
    'idempotencyKey(key, slot, call)',
    'idempotencyKey(key, 0, call)',
  ),
  mutant(
    'a wait id without its arguments',
    waits,
    'idempotencyKey(key, slot, call)',
    'idempotencyKey(key, slot, { ...call, input: {} })',
  ),
  mutant('a message settles an approval', waiting, '!(ends && came[ends])', '!came.answer'),
  mutant(
    'a message does not answer a question',
    waiting,
    '!(ends && came[ends])',
    "!(ends === 'news' && came.news)",
  ),
  mutant(
    'an expired wait continues',
    waiting,
    'fence.pending.includes(wait.id) && wait.expiresAt > now &&',
    'fence.pending.includes(wait.id) &&',
  ),
  mutant(
    'a decided wait continues',
    waiting,
    'fence.pending.includes(wait.id) && wait.expiresAt',
    'wait.expiresAt',
  ),
  mutant('a cancel does not end a wait', waiting, 'return !stops && waitsOutside', 'return waitsOutside'),
  mutant(
    'a wait begins over a cancel',
    conclude,
    'if (fence.cancelGen > session.cancelSeen || answered || knocked) {',
    'if (answered || knocked) {',
  ),
  mutant(
    'a wait begins over its answer',
    conclude,
    'if (fence.cancelGen > session.cancelSeen || answered || knocked) {',
    'if (fence.cancelGen > session.cancelSeen || knocked) {',
  ),
  mutant(
    'an expired approval is approved',
    decided,
    'if (decision?.approved) return isBound',
    'if (!decision || decision.approved) return isBound',
  ),
  mutant(
    'a refusal approves',
    decided,
    'if (decision?.approved) return isBound',
    'if (decision) return isBound',
  ),
  mutant(
    'a message approves',
    decided,
    'if (decision?.approved) return isBound',
    'if (decision?.approved || answerCame(loaded)) return isBound',
  ),
  mutant(
    'an approval is not looked up',
    decided,
    "case 'approval': {\n",
    "case 'approval': {\n      const decision = undefined as Decision | undefined;\n",
  ),
  mutant(
    'an answer is not looked up',
    decided,
    'if (decision?.approved) return answered',
    'if (false as boolean) return answered',
  ),
  mutant('a batch is closed without its results', decided, '  if (known) return settled(call, known);\n', ''),
  mutant(
    'a run that ends starts approved calls',
    close,
    'await planUnder(step, batch.slot, planned, halt)',
    'await planUnder(step, batch.slot, planned, undefined)',
  ),
  mutant(
    'a closed batch stays open',
    agent('step/batch/advance'),
    'version: of.slot + 2, batch: undefined }',
    'version: of.slot + 2 }',
  ),
  mutant(
    'results next to queued calls are dropped',
    runBatch,
    '    await keepToClose(step, of.slot, known);\n',
    '',
  ),
  mutant(
    'calls that an open batch has not run are forgotten',
    agent('step/batch/facts'),
    '[...(batch.unrun ?? []), ...late.found',
    '[...late.found',
  ),
  mutant(
    'results of an open batch are reported twice',
    runCalls,
    'here.length === plan.calls.length && ',
    '',
  ),
  mutant(
    'results of an open batch are never reported',
    agent('step/batch/run-batch'),
    '  if (!recovered && (drafting || queuedIn(step.session.batch).size > 0)) tellResults(step, files.results);\n',
    '',
  ),
  mutant(
    'a batch of another reply closes this one',
    agent('step/open/recovered'),
    'return batchOf(session.version, batchReplyOf(session, slots));',
    "return find(session.version)?.kind === 'tools' ? { tools: find(session.version) } : {};",
  ),
  mutant(
    'only the first queued call is waited for',
    waits,
    'const waits = queued.map((planned): Wait => {',
    'const waits = queued.slice(0, 1).map((planned): Wait => {',
  ),
  mutant(
    'a run that continues has the id of the one that ended',
    agent('step/open/run'),
    'resumes: resumes + 1 };',
    'resumes };',
  ),
];

export const waitMutants: readonly Mutant[] = [
  ...laneMutants,
  ...decisionMutants,
  ...headMutants,
  ...callMutants,
  ...stepMutants,
];
