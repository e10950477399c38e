/** Mutants of rate limits that all environments share. */

import { type Mutant, mutant } from './mutant.ts';

const signs = 'shared/models/signs.ts';
const retry = 'shared/agent/step/model/retry.ts';

export const signMutants: readonly Mutant[] = [
  mutant(
    'sign: no other host is told',
    signs,
    'await store.put(known.of, { until, code }).catch(missed);',
    '',
  ),
  mutant(
    'sign: it is forgotten after it was read',
    signs,
    '.then((sign) => learn(known, sign, clock.now()), missed)',
    '.then(() => {}, missed)',
  ),
  mutant(
    'sign: a refused host asks again',
    signs,
    'if (until > known.until) Object.assign(known, { until, code });',
    '',
  ),
  mutant(
    'sign: a host that was held back does not count',
    retry,
    'counts: { retries, rateLimits: 0,',
    'counts: { rateLimits: 0,',
  ),
  mutant(
    'sign: a held-back step counts as a try',
    retry,
    "if (failure.kind === 'retry' && failure.unasked && failedAt <",
    "if (failure.kind === 'retry' && failure.unasked && failedAt < 0 *",
  ),
];
