/** Mutants of events that wait for room in the inbox: which are kept, in which order, and that none is forgotten. */

import { type Mutant, mutant } from './mutant.ts';

const transitions = 'shared/memory/transitions.ts';
const inbox = 'shared/memory/inbox.ts';
const conclude = 'shared/agent/step/end/conclude.ts';

export const overflowMutants: readonly Mutant[] = [
  mutant(
    'overflow: new events pass it',
    transitions,
    'const hasRoom = !head.overflow && head.inbox.length < max;',
    'const hasRoom = head.inbox.length < max;',
  ),
  mutant(
    'overflow: ends unnoticed',
    transitions,
    'const isEmpty = isAll && head.inboxSeq === inboxSeq;',
    'const isEmpty = isAll;',
  ),
  mutant(
    'overflow: never ends',
    transitions,
    'const isEmpty = isAll && head.inboxSeq === inboxSeq;',
    'const isEmpty = false;',
  ),
  mutant(
    'overflow: any owner admits it',
    transitions,
    'const isOwned = head?.epoch === epoch && head.owner !== undefined;',
    'const isOwned = head !== undefined;',
  ),
  mutant(
    'overflow: does not know consumed events',
    inbox,
    'const ids = first.filter((id) => !fence.consumed.includes(id));',
    'const ids = first;',
  ),
  mutant(
    'overflow: the last comes first',
    inbox,
    'from - to || (a < b ? -1 : 1)',
    'to - from || (a < b ? -1 : 1)',
  ),
  mutant(
    'overflow: is announced before it is kept',
    inbox,
    "      await reach('line', () => mapIn(table.lines, pkOf(key)).set(event.id, kept.at));\n      if (betweenWrites) await betweenWrites();\n      return reach('tell', () => {\n        const answered = apply(table, key, (head) => announceOverflow(head, event.id, now));\n        return answer(table, key, answered, kept.kind, now);\n      });\n",
    "      const behind = await reach('tell', () => {\n        const answered = apply(table, key, (head) => announceOverflow(head, event.id, now));\n        return answer(table, key, answered, kept.kind, now);\n      });\n      if (betweenWrites) await betweenWrites();\n      await reach('line', () => mapIn(table.lines, pkOf(key)).set(event.id, kept.at));\n      return behind;\n",
  ),
  mutant(
    'overflow: a session rests over it',
    conclude,
    'const morePending = pending.length > 0 || fence.overflow;',
    'const morePending = pending.length > 0;',
  ),
  mutant(
    'overflow: is given back over it',
    'shared/agent/step/end/commit.ts',
    '!seen.overflow && seen.inbox.every',
    'seen.inbox.every',
  ),
  mutant(
    'overflow: is never admitted',
    'shared/agent/step/open/load.ts',
    'claim.view.fence.overflow ? await io.inbox.refill(key, claim.view.fence) : claim.view.fence',
    'claim.view.fence',
  ),
];
