/** Mutants of deletion, which invariant 40 kills. */

import { type Mutant, mutant } from './mutant.ts';

const graves = 'shared/memory/graves.ts';
const erase = 'shared/agent/entrypoints/erase.ts';

export const deletionMutants: readonly Mutant[] = [
  mutant(
    'bury: even a running session',
    graves,
    "      if (!(rests && nobodyOwnsIt && nothingIsPending && isAsSeen)) return { kind: 'busy' };\n",
    '',
  ),
  mutant(
    'bury: due but not owned',
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
  mutant(
    'erase: the tombstone is deleted at once',
    erase,
    'if (clock.now() < lastAt) {',
    'if (clock.now() < 0) {',
  ),
  mutant(
    'erase: the second round does nothing',
    erase,
    '  await graves.erase(mine);\n',
    '  if (clock.now() < mine.buriedAt + GRAVE_MS) await graves.erase(mine);\n',
  ),
  mutant(
    'unlist: a late owner restores it',
    'shared/memory/listings.ts',
    '      if (unlisted.has(pkOf(key))) return;\n',
    '',
  ),
];
