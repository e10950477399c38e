/** Scorers of an agent's answer. */

import * as z from 'zod';
import type { Rehearsed } from '../../rehearsal.ts';
import { type Scorer, share } from '../scorer.ts';

const has = (text: string, wanted: string | RegExp): boolean =>
  typeof wanted === 'string' ? text.toLowerCase().includes(wanted.toLowerCase()) : text.search(wanted) >= 0;

/**
 * The answer contains each of these: texts, ignoring case, or patterns.
 *
 * @example
 * contains('on its way', /order\s+1001/)
 */
export const contains = (...wanted: readonly (string | RegExp)[]): Scorer => ({
  name: 'contains',
  score: ({ answer = '' }) =>
    share(
      wanted.length,
      wanted.filter((one) => !has(answer, one)).map((one) => `The answer lacks ${shown(one)}.`),
    ),
});

/** The answer contains none of these: texts, ignoring case, or patterns. */
export const lacks = (...unwanted: readonly (string | RegExp)[]): Scorer => ({
  name: 'lacks',
  score: ({ answer = '' }) =>
    share(
      unwanted.length,
      unwanted.filter((one) => has(answer, one)).map((one) => `The answer has ${shown(one)}.`),
    ),
});

const shown = (wanted: string | RegExp): string =>
  typeof wanted === 'string' ? JSON.stringify(wanted) : String(wanted);

/**
 * The answer fits a zod schema: the object of an agent that declares one (docs/answers.md), else the text as JSON.
 *
 * @example
 * fits(z.object({ priority: z.enum(['high', 'low']) }))
 */
export const fits = (schema: z.ZodType): Scorer => ({
  name: 'schema',
  async score(played) {
    const value = answerOf(played);
    if (value === undefined) return share(1, ['The answer is not JSON.']);
    const parsed = await schema.safeParseAsync(value);
    return share(1, parsed.success ? [] : [z.prettifyError(parsed.error)]);
  },
});

function answerOf({ object, answer = '' }: Rehearsed): unknown {
  if (object !== undefined) return object;
  try {
    return JSON.parse(answer);
  } catch {
    return undefined;
  }
}
