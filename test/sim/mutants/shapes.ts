/** Mutants of shapes (docs/shapes.md). */

import { type Mutant, mutant } from './mutant.ts';

const racing = 'shared/agent/step/batch/race.ts';
const step = 'shared/agent/step/step.ts';

export const shapeMutants: readonly Mutant[] = [
  mutant(
    'race: a good answer does not end the wait',
    step,
    'mustWait(claimed, now) && !(await isWon(claimed, io))',
    'mustWait(claimed, now)',
  ),
  mutant(
    'race: a failure ends the race',
    racing,
    "result?.outcome === 'ok' && !result.awaits",
    'result !== undefined && !result.awaits',
  ),
  {
    ...mutant(
      'race: what is to begin begins although it is won',
      racing,
      'known.get(id)?.awaits || !known.has(id)',
      'known.get(id)?.awaits',
    ),
    tests: { lane: 'unit', file: 'shapes/race.test.ts', only: 'while its first owner was dead' },
  },
  mutant(
    'race: the last good answer counts',
    'shared/models/shape/sides.ts',
    'work.batches.flat().find(',
    'work.batches.flat().findLast(',
  ),
  mutant(
    'map: items that have failed are asked again',
    'shared/models/shape/map.ts',
    '(came.has(place) ? []',
    "(came.get(place)?.outcome === 'ok' ? []",
  ),
  mutant(
    'map: a report leaves out what has failed',
    'shared/models/shape/map.ts',
    'tasks.map((_, place) => entryOf(came.get(place), why)),',
    "tasks.flatMap((_, place) => (came.get(place)?.outcome === 'ok' ? entryOf(came.get(place), why) : [])),",
  ),
  mutant(
    'shape: it reads only the last batch',
    'shared/agent/context/shape-work.ts',
    "slot.kind === 'tools' && !slot.made ? [askedIn(slot, runId)] : []",
    "slot.kind === 'tools' && !slot.made && slot === own.at(-1) ? [askedIn(slot, runId)] : []",
  ),
];
