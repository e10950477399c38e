/** Mutants of sessions that work for calls of others (docs/children.md). */

import { type Mutant, mutant } from './mutant.ts';

const asks = 'shared/agent/step/batch/asks.ts';
const answering = 'shared/agent/step/end/answer-parent.ts';
const commit = 'shared/agent/step/end/commit.ts';
const delegate = 'shared/agent/step/batch/delegate.ts';
const reporting = 'shared/agent/step/end/report-to-parent.ts';
const stopping = commit;
const sending = 'shared/agent/step/batch/send-to-child.ts';
const below = 'shared/agent/step/batch/wrap-up-below.ts';
const conclude = 'shared/agent/step/end/conclude.ts';
const orphans = 'shared/agent/step/batch/stop-children.ts';

export const familyMutants: readonly Mutant[] = [
  mutant('family: an end is not told', commit, '          tellParent(session, tail, io),\n', ''),
  mutant(
    'family: an end that was not told is not repaired',
    commit,
    '      await tellParent(claim.view.session, claim.view.tail, io);\n',
    '',
  ),
  mutant(
    'family: an answer that was faster than its wait is not found',
    'shared/agent/step/end/look-for-answers.ts',
    'isAnswered(wait) &&',
    "isAnswered(wait) && wait.kind === 'callback' &&",
  ),
  mutant(
    'family: every commit of a child answers',
    'shared/agent/session/children.ts',
    '  run?.ended ? parent : undefined;',
    '  run ? parent : undefined;',
  ),
  mutant('family: an answer does not say what was used', answering, 'used: run.totals, speakers', 'speakers'),
  mutant('family: a child is begun for a reply that is not kept', delegate, '  await slotKept;\n', ''),
  mutant(
    'family: calls of one reply begin the same child',
    delegate,
    'const child = childIdOf(id);',
    'const child = childIdOf(key.sessionId + slot);',
  ),
  mutant(
    'family: each attempt begins another child',
    delegate,
    'const child = childIdOf(id);',
    'const child = childIdOf(io.ids.next());',
  ),
  mutant('family: children without an answer go on', orphans, '  await stopChild(child, id, io);\n', ''),
  mutant(
    'family: only a batch that was left open may have children',
    'shared/agent/step/batch/run-batch.ts',
    '    (batch !== undefined || mayHaveBegun(step)) &&\n',
    '    batch !== undefined &&\n',
  ),
  mutant(
    'family: a child that is begun late goes on',
    'shared/agent/step/open/orphan.ts',
    '  return own(await later.settled(of, [parent.id]), parent.id) !== undefined;',
    '  return later === undefined && of === undefined;',
  ),
  mutant(
    'family: what children have used does not count',
    'shared/agent/step/batch/run-batch.ts',
    'heardFrom(withUse(session, usedByChildren(results)), ',
    'heardFrom(session, ',
  ),
  mutant(
    'family: a reply has all the room of its session',
    delegate,
    'room: Math.floor((room - among) / parts)',
    'room: room - 1',
  ),
  mutant(
    'asks: a child does not knock',
    commit,
    '          asksNews(view.session, session) && knockAtParent(session, io),\n',
    '',
  ),
  mutant(
    'asks: a lost knock is not repaired',
    commit,
    '      if (mayAsk(claim.view.session)) await knockAtParent(claim.view.session, io);\n',
    '',
  ),
  mutant('asks: an owner that has missed a knock rests', conclude, 'answered || knocked', 'answered'),
  mutant(
    'asks: a knock makes nothing due',
    'shared/memory/transitions.ts',
    'const times = head.dueAt === undefined && dueNow(now);\n  return { head: { ...head, inboxSeq: head.inboxSeq + 1, ...times }',
    'const times = head.dueAt === 0 && dueNow(now);\n  return { head: { ...head, inboxSeq: head.inboxSeq + 1, ...times }',
  ),
  mutant(
    'asks: a grandchild is not heard',
    asks,
    'return [...own, ...(await allEnded(relayed)).flat()];',
    'return relayed.length < 0 ? [] : own;',
  ),
  mutant(
    'asks: what is over is asked for ever',
    asks,
    'if (gone.length === 0 && asks.length === before.length) return undefined;',
    'if (asks.length <= before.length) return undefined;',
  ),
  mutant(
    'asks: children of an earlier attempt are not looked at',
    'shared/agent/step/batch/run-batch.ts',
    'waitsForChildren({ batch: waiting }) && mayHaveChildren(step) ? withAsks(step, waiting) : waiting',
    'waitsForChildren({ batch: waiting }) && mayHaveChildren(step) ? waiting : waiting',
  ),
  mutant(
    'background: an end is not reported',
    answering,
    '  if (parent.background) return report(session, parent, stands, io);\n',
    '  if (parent.background) return;\n',
  ),
  mutant(
    'background: each attempt reports under another id',
    reporting,
    '{ id: `report-',
    '{ id: clock.now() + `report-',
  ),
  mutant(
    'background: a session forgets whom it has begun',
    'shared/agent/step/batch/run-batch.ts',
    '  session = withBackground(session, results);\n',
    '',
  ),
  mutant(
    'background: a report before the end of its call does not count',
    'shared/agent/session/background.ts',
    'version >= slot + 2 && !background',
    'version >= slot - 2 && !background',
  ),
  mutant(
    'background: what is reported as used does not count',
    'shared/agent/step/model/delegated.ts',
    'reports.reduce((sum, { used }) => withUse(sum, used), session)',
    'reports.reduce((sum) => sum, session)',
  ),
  mutant(
    'background: a quiet report is not counted at rest',
    commit,
    'withReports(session, loaded.inbox, now)',
    'session',
  ),
  mutant(
    'background: children take no room',
    delegate,
    'const room = all - aliveFor(session);',
    'const room = all - 0 * aliveFor(session);',
  ),
  mutant(
    'background: stopped children report aloud',
    reporting,
    'const isStopped = digest === undefined;',
    'const isStopped = digest === id;',
  ),
  mutant(
    'background: a cancel stops nothing',
    stopping,
    "  if (state === 'cancelled' || fence.cancelGen > cancelSeen)",
    "  if (state === 'idle' && fence.cancelGen > cancelSeen)",
  ),
  mutant(
    'wrap-up: children are not asked',
    below,
    'if (child === undefined) return undefined;',
    'if (child !== id) return undefined;',
  ),
  mutant(
    'wrap-up: a run waits for its children as long as before',
    below,
    "const ends = wait.kind === 'child' || (",
    "const ends = wait.kind === 'plan' || (",
  ),
  mutant(
    'wrap-up: a request that comes while children begin is not looked at',
    conclude,
    'const hasCome = fence.inboxSeq !== claimed.inboxSeq || (!still && morePending);',
    'const hasCome = still && fence.inboxSeq !== claimed.inboxSeq;',
  ),
  mutant(
    'wrap-up: queued calls of a child are given up for it',
    conclude,
    'hasCome && waitsOutside(draft.session) && isInFamily',
    'hasCome && isInFamily',
  ),
  mutant(
    'wrap-up: a wait that ends early settles nothing',
    'shared/agent/step/batch/awaiting.ts',
    'const isOver = ends || isOvertaken || endOf(loaded, call, awaits.until) <= io.clock.now();',
    'const isOver = ends || isOvertaken || awaits.until <= io.clock.now();',
  ),
  mutant(
    'wrap-up: a child does not see that its time is almost over',
    'shared/agent/step/model/preflight.ts',
    "...(isLate ? ['wrap_up' as const] : [])",
    "...(!isLate && isLate ? ['wrap_up' as const] : [])",
  ),
  mutant('wrap-up: a summary is no answer', answering, 'if (summary && isDone)', 'if (summary && !isDone)'),
  mutant(
    'send_to: each attempt sends under another id',
    sending,
    'const id = idOf(call, nth);',
    'const id = idOf(call, nth) + io.ids.next();',
  ),
];
