/** Mutants of forks: what they read, and with what they begin. */

import { type Mutant, mutant } from './mutant.ts';

const fork = 'shared/agent/entrypoints/fork.ts';
const slots = 'shared/agent/lineage/slots.ts';
const begins = 'shared/agent/entrypoints/begin-with-messages.ts';

export const forkMutants: readonly Mutant[] = [
  mutant(
    'fork: reads on beyond the shared part',
    slots,
    '    below: Math.min(below, end),\n',
    '    below,\n',
  ),
  mutant(
    'fork: treats the shared part as its own',
    'shared/agent/session/session.ts',
    ', ownStart(session));',
    ');',
  ),
  mutant(
    'fork: shares its direct origin, but not the origin’s own',
    fork,
    'const all = [...origin, own];',
    'const all = [own];',
  ),
  mutant('fork: begins in the current context', fork, 'if (fold.slot < below)', 'if (true)'),
  mutant(
    'fork: begins without a context',
    fork,
    '...(fold && { fold: fold.last, contextStart: fold.start }),',
    '',
  ),
  mutant('fork: has the current files', fork, 'const workspace = isWhole\n', 'const workspace = true\n'),
  mutant(
    'fork: has no files',
    fork,
    '...defined({ workspace, serverRules }),',
    '...defined({ serverRules }),',
  ),
  mutant(
    'fork: of a step whose calls are running',
    fork,
    'const isWhole = ran !== undefined || callsOf(callingOf(asked)).length === 0;',
    'const isWhole = true;',
  ),
  mutant(
    'fork: of everything, with the open step',
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
    'fork: is told less if its files were restored before',
    fork,
    '...(isWhole && { nudges,',
    '...(isWhole && {',
  ),
  mutant(
    'retry: counts as a person’s message',
    'shared/agent/step/model/turn.ts',
    '          ...(isInternal && { internal: { reason: isInternal } }),\n',
    '',
  ),
];
