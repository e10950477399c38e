/** Mutants of how sessions are deleted: invariant 40 kills them. */

import { type Mutant, mutant } from './mutant.ts';

const graves = 'shared/memory/graves.ts';
const erase = 'shared/agent/doors/erase.ts';

export const deletionMutants: readonly Mutant[] = [
  mutant(
    'bury: whatever goes on',
    graves,
    "      if (!(rests && nobodyOwnsIt && nothingIsPending && isAsSeen)) return { kind: 'busy' };\n",
    '',
  ),
  mutant(
    'bury: what is due and nobody’s yet',
    graves,
    'const rests = head.dueAt === undefined && head.sweepAt === undefined;',
    'const rests = true;',
  ),
  mutant(
    'create: over a tombstone',
    'shared/memory/sessions.ts',
    "      if (table.graves.has(pkOf(session.key))) return { kind: 'gone' };\n",
    '',
  ),
  mutant('erase: the tombstone goes at once', erase, 'if (clock.now() < lastAt) {', 'if (clock.now() < 0) {'),
  mutant(
    'erase: the second time nothing',
    erase,
    '  await graves.erase(mine);\n',
    '  if (clock.now() < mine.buriedAt + GRAVE_MS) await graves.erase(mine);\n',
  ),
  mutant(
    'unlist: a late owner gets it back',
    'shared/memory/listings.ts',
    '      if (unlisted.has(pkOf(key))) return;\n',
    '',
  ),
];
