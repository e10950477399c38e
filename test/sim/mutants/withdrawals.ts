/** Mutants of messages that are taken back (`shared/agent/step/open/withdrawn.ts`). */

import { type Mutant, mutant } from './mutant.ts';

const withdrawn = 'shared/agent/step/open/withdrawn.ts';

export const withdrawalMutants: readonly Mutant[] = [
  mutant(
    'withdrawn: a message that was taken back is read',
    withdrawn,
    'return inbox.map((event) => (gone.has(event.id)',
    'return inbox.map((event) => (gone.has("")',
  ),
  mutant(
    'withdrawn: the model does not hear of a message that was read',
    withdrawn,
    ' && waiting.has(withdraws) ?',
    ' ?',
  ),
  mutant(
    'withdrawn: a run that a dead owner has begun for it has no end',
    withdrawn,
    '...(isFirst ? [id] : [])',
    'id',
  ),
];
