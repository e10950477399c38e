/**
 * Mutants of reads that may miss something: each strong read is made eventual, for the adapters and for the simulator's
 * store.
 */

import { type Mutant, mutant } from './mutant.ts';

/** @param said the end of the read's docstring and its name, which mark its place */
const eventual = (read: string, said: string): Mutant =>
  mutant(
    `reads: ${read} is eventual`,
    'shared/agent/consistency.ts',
    `${said}: 'strong',`,
    `${said}: 'eventual',`,
  );

export const readMutants: readonly Mutant[] = [
  eventual('sessions.read', 'it is never looked for again. */\n    read'),
  eventual('sessions.watch', 'watch'),
  eventual('sessions.definition', 'definition'),
  eventual('sessions.slots', 'slots'),
  eventual('sessions.results', 'results'),
  eventual('inbox.read', 'taken off the inbox all the same. */\n    read'),
  eventual('log.read', 'clients fill their gaps from it. */\n    read'),
];
