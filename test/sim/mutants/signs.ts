/** Mutants of rate limits that all environments share. */

import { type Mutant, mutant } from './mutant.ts';

const signs = 'shared/models/signs.ts';
const retry = 'shared/agent/step/model/retry.ts';

export const signMutants: readonly Mutant[] = [
  mutant('sign: nobody is told', signs, 'await store.put(known.of, { until, code }).catch(missed);', ''),
  mutant(
    'sign: what was read is forgotten',
    signs,
    '.then((sign) => learn(known, sign, clock.now()), missed)',
    '.then(() => {}, missed)',
  ),
  mutant(
    'sign: who was refused asks again',
    signs,
    'if (until > known.until) Object.assign(known, { until, code });',
    '',
  ),
  mutant(
    'sign: who was held back has not been there',
    retry,
    'counts: { retries, rateLimits: 0,',
    'counts: { rateLimits: 0,',
  ),
  mutant(
    'sign: who is held back has tried',
    retry,
    "if (failure.kind === 'retry' && failure.unasked && failedAt <",
    "if (failure.kind === 'retry' && failure.unasked && failedAt < 0 *",
  ),
];
