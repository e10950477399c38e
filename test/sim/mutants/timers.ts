/** Mutants of runs that rest until a moment (docs/timers.md). */

import { type Mutant, mutant } from './mutant.ts';

const awaiting = 'shared/agent/step/batch/awaiting.ts';

export const timerMutants: readonly Mutant[] = [
  mutant(
    'timers: a message ends none',
    'shared/agent/session/waits.ts',
    "timer: { settledBy: 'time', endsWith: 'news',",
    "timer: { settledBy: 'time',",
  ),
  mutant(
    'timers: end when their batch goes on',
    awaiting,
    'if (endOf(loaded, call, timer.until) > now && !newsCame(loaded)) return waiting;',
    '',
  ),
  mutant(
    'timers: are over when something comes in',
    awaiting,
    'timer.until > now ? endedEarly(timer, now) : overText(timer, now)',
    'overText(timer, now)',
  ),
  mutant(
    'timers: go on in a run that ends',
    awaiting,
    "  if (ends) return notRun(call, 'cancelled', texts.cancelled);\n  const now",
    '  const now',
  ),
];
