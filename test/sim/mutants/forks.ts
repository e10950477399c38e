/** Mutants of forks: what they read, and as what they begin. */

import { type Mutant, mutant } from './mutant.ts';

const fork = 'shared/agent/doors/fork.ts';
const slots = 'shared/agent/lineage/slots.ts';
const begins = 'shared/agent/doors/begin-with-messages.ts';

export const forkMutants: readonly Mutant[] = [
  mutant('fork: reads on where its own begins', slots, '    below: Math.min(below, end),\n', '    below,\n'),
  mutant(
    'fork: takes what it shares for its own',
    'shared/agent/session/session.ts',
    ', ownStart(session));',
    ');',
  ),
  mutant(
    'fork: shares what it was forked from, and not what that shares',
    fork,
    'const all = [...origin, own];',
    'const all = [own];',
  ),
  mutant('fork: begins in the context of now', fork, 'if (fold.slot < below)', 'if (true)'),
  mutant(
    'fork: begins without a context',
    fork,
    '...(fold && { fold: fold.last, contextStart: fold.start }),',
    '',
  ),
  mutant('fork: has the files of now', fork, 'const workspace = isWhole\n', 'const workspace = true\n'),
  mutant('fork: has no files', fork, '...(workspace !== undefined && { workspace }),', ''),
  mutant(
    'fork: of a step whose calls run',
    fork,
    'const isWhole = ran !== undefined || callsOf(callingOf(asked)).length === 0;',
    'const isWhole = true;',
  ),
  mutant(
    'fork: of all, with the step that is open',
    fork,
    'return batch?.slot ?? version;',
    'return version;',
  ),
  mutant(
    'fork: is not told that it shares',
    begins,
    "event: { type: 'CUSTOM', name: 'steploop.snapshot_needed', value: { why } },",
    "event: { type: 'CUSTOM', name: 'steploop.stopped', value: {} },",
  ),
  mutant(
    'fork: is in no list',
    begins,
    'await listings.moved(',
    'await (async (..._: unknown[]) => undefined)(',
  ),
  mutant(
    'fork: finds no file of the other session',
    'shared/agent/lineage/blobs.ts',
    'return [at, ...origin.toReversed()',
    'return [at, ...[...origin].slice(origin.length)',
  ),
  mutant(
    'fork: is told less when its files were set back before',
    fork,
    '...(isWhole && { nudges,',
    '...(isWhole && {',
  ),
  mutant(
    'retry: counts as somebody’s words',
    'shared/agent/step/model/turn.ts',
    '          ...(internal && { internal: { reason: internal } }),\n',
    '',
  ),
];
