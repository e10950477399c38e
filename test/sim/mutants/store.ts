/** Mutants of the store: every clause of every condition in turn (`shared/memory`). */

import { type Mutant, mutant } from './mutant.ts';

const transitions = 'shared/memory/transitions.ts';
const known = 'shared/agent/session/known.ts';
const wakeTimes = 'shared/agent/session/wake.ts';
const sessions = 'shared/memory/sessions.ts';
const inbox = 'shared/memory/inbox.ts';

export const storeMutants: readonly Mutant[] = [
  mutant(
    'claim: not due',
    transitions,
    'if (head.dueAt <= now && head.leaseUntil <= now) {',
    'if (head.leaseUntil <= now) {',
  ),
  mutant(
    'claim: lease',
    transitions,
    'if (head.dueAt <= now && head.leaseUntil <= now) {',
    'if (head.dueAt <= now) {',
  ),
  mutant('claim: same epoch', transitions, 'epoch: head.epoch + 1,', 'epoch: head.epoch,'),
  mutant(
    'claim: attempt not counted',
    transitions,
    'attempts: head.attempts + 1,',
    'attempts: head.attempts,',
  ),
  mutant(
    'claim: does not recognize its own',
    transitions,
    "if (head.owner === invocationId) return { answer: { kind: 'claimed', view: toView(head) } };",
    '',
  ),
  mutant(
    'claim: any message is the owner’s',
    transitions,
    "head.ownerMessageId === messageId ? 'leased_by_this_message' : 'leased'",
    "'leased'",
  ),
  mutant(
    'fence: any epoch',
    transitions,
    'const held = head.epoch === epoch && head.owner !== undefined;\n  const unknown',
    'const held = head.owner !== undefined;\n  const unknown',
  ),
  mutant(
    'fence: after the epoch’s end',
    transitions,
    'const held = head.epoch === epoch && head.owner !== undefined;\n  const unknown',
    'const held = head.epoch === epoch;\n  const unknown',
  ),
  mutant(
    'fence: cancelled',
    transitions,
    'if (held && head.cancelGen === cancelGen && unknown) {',
    'if (held && unknown) {',
  ),
  mutant(
    'fence: does not recognize its own',
    transitions,
    "return { answer: mine ? 'fenced' : 'refused' };",
    "return { answer: 'refused' };",
  ),
  mutant(
    'commit: any epoch',
    transitions,
    'const held = head.epoch === epoch && head.owner !== undefined;\n  const mustHaveSeenAll',
    'const held = head.owner !== undefined;\n  const mustHaveSeenAll',
  ),
  mutant(
    'commit: after the epoch’s end',
    transitions,
    'const held = head.epoch === epoch && head.owner !== undefined;\n  const mustHaveSeenAll',
    'const held = head.epoch === epoch;\n  const mustHaveSeenAll',
  ),
  mutant(
    'commit: cancelled',
    transitions,
    'if (held && head.cancelGen === seen.cancelGen && nothingUnseen) {',
    'if (held && nothingUnseen) {',
  ),
  mutant(
    'commit: rests over an event',
    transitions,
    'const nothingUnseen = !mustHaveSeenAll || head.inboxSeq === seen.inboxSeq;',
    'const nothingUnseen = true;',
  ),
  mutant('commit: keeps the lease', transitions, '      leaseUntil: 0,\n', ''),
  mutant('commit: keeps the attempts', transitions, '      attempts: 0,\n', ''),
  mutant(
    'commit: keeps the intents',
    transitions,
    "intents: intents === 'keep' ? head.intents : {},",
    'intents: head.intents,',
  ),
  mutant(
    'commit: forgets consumed',
    transitions,
    'consumed: union(incorporated, unmarked),',
    'consumed: [],',
  ),
  mutant(
    'commit: forgets unmarked',
    transitions,
    'consumed: union(incorporated, unmarked),',
    'consumed: [...incorporated],',
  ),
  mutant(
    'commit: keeps the inbox',
    transitions,
    'inbox: without(head.inbox, incorporated),',
    'inbox: head.inbox,',
  ),
  mutant('commit: empties the inbox', transitions, 'inbox: without(head.inbox, incorporated),', 'inbox: [],'),
  mutant('commit: no tail', transitions, '      tail: keep(tail),\n', '      tail: [],\n'),
  mutant(
    'commit: no sweeper',
    wakeTimes,
    'const sweepAt = sweepAtFor(next.dueAt, now, phaseMs);',
    'const sweepAt = next.dueAt + 9e9;',
  ),
  mutant(
    'overdue: the first page only',
    'shared/memory/sessions.ts',
    'at < named.length; at += duePage',
    'at < Math.min(named.length, duePage); at += duePage',
  ),
  mutant(
    'commit: does not recognize its own',
    transitions,
    'const mine = head.epoch === epoch && isSame(head.session, session);',
    'const mine = false;',
  ),
  mutant(
    'extend: any epoch',
    transitions,
    'if (head?.epoch !== epoch || head.owner === undefined)',
    'if (!head || head.owner === undefined)',
  ),
  mutant(
    'extend: after the epoch’s end',
    transitions,
    'if (head?.epoch !== epoch || head.owner === undefined)',
    'if (head?.epoch !== epoch)',
  ),
  mutant(
    'cancel: at rest',
    transitions,
    "  if (head.sweepAt === undefined && !head.session.background) return { answer: 'idle' };\n  return { head: { ...head, cancelGen",
    '  return { head: { ...head, cancelGen',
  ),
  mutant(
    'cancel: not due now',
    transitions,
    'cancelGen: head.cancelGen + 1, ...dueNow(now) }',
    'cancelGen: head.cancelGen + 1 }',
  ),
  mutant(
    'cancel: same generation',
    transitions,
    'cancelGen: head.cancelGen + 1, ...dueNow(now) }',
    '...dueNow(now) }',
  ),
  mutant(
    'announce: consumed',
    transitions,
    "  if (isIncorporated(head, eventId)) return { answer: 'consumed' };\n  const hasRoom",
    '  const hasRoom',
  ),
  mutant(
    'announce: an event that was marked is forgotten at once',
    transitions,
    '      ...(known && { known: keep(known) }),\n',
    '',
  ),
  mutant('known: until its next commit', known, 'now - known.at < LATE_MS', 'false'),
  mutant(
    'known: not what is marked',
    known,
    'if (marked.length === 0) return still;',
    'if (true) return still;',
  ),
  mutant(
    'announce: same inboxSeq',
    transitions,
    '      inboxSeq: head.inboxSeq + 1,\n',
    '      inboxSeq: head.inboxSeq,\n',
  ),
  mutant('announce: not due', transitions, '      ...(head.dueAt === undefined && dueNow(now)),\n', ''),
  mutant(
    'announce: no sweeper',
    transitions,
    '...(head.dueAt === undefined && dueNow(now)),',
    'dueAt: head.dueAt ?? now,',
  ),
  mutant('putSlot: any epoch', sessions, "if (existing && existing.epoch > epoch) return 'superseded';", ''),
  mutant(
    'putSlot: the first one stays',
    sessions,
    'if (existing && existing.epoch > epoch)',
    'if (existing)',
  ),
  mutant(
    'accept: another body',
    inbox,
    "if (existing.digest !== event.digest) return { kind: 'conflict' };",
    '',
  ),
  mutant('accept: done before', inbox, "existing.done ? { kind: 'done' } : {", '{'),
  mutant('markDone: nothing', inbox, "{ ...event, text: '', done: true }", '{ ...event }'),
];
