/** Mutants of what a history leaves out (`shared/agent/context`), and of calls that begin after a long delay. */

import { type Mutant, mutant } from './mutant.ts';

const agent = (name: string) => `shared/agent/${name}.ts`;
const omit = agent('step/model/omit-part');
const omissions = agent('context/omissions');
const requests = agent('context/requests');

export const historyMutants: readonly Mutant[] = [
  mutant(
    'omitted: searches without end',
    omit,
    'tries.length >= MOST_TRIES)',
    'tries.length >= 100 * MOST_TRIES)',
  ),
  mutant(
    'omitted: the first try counts',
    omissions,
    'const last = tries.at(-1);',
    'const last = tries.at(0);',
  ),
  mutant(
    'omitted: tries of an ended run count',
    omissions,
    'if (!last || last.runId === runId)',
    'if (!last || runId !== "")',
  ),
  mutant(
    'omitted: checks what was accepted before',
    omit,
    'read.slice(Math.max(0, last))',
    'read.slice(0 * last)',
  ),
  mutant(
    'omitted: a refused tool stays',
    agent('step/model/omit-tool'),
    'return { ...session, definition };',
    'return session;',
  ),
  mutant(
    'refused: its words are sent again',
    omissions,
    'else if (refused && !again) {',
    'else if (refused && !again && !turn.end) {',
  ),
  mutant(
    'refused: a retry leaves its words out',
    omissions,
    'let again = input.some(isRetry);',
    'let again = false;',
  ),
  mutant(
    'open: a new run’s request counts as answered',
    requests,
    "if (begins) settle(isClosed ? 'answered' : 'unanswered');",
    "if (begins || runId) settle(isClosed ? 'answered' : 'unanswered');",
  ),
  mutant(
    'call: a worker that was frozen begins it',
    agent('entrypoints/call'),
    "  if (io.clock.now() > lookedAt + STARTS_MS) return 'retry';\n",
    '',
  ),
];
