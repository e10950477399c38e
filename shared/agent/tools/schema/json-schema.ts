import * as z from 'zod';
import { loadExpressions } from '../../plain/expressions.ts';
import { memoize } from '../../plain/memoize.ts';
import type { ReaderOf } from '../source.ts';
import { checkerOf } from './check.ts';
import { Uncheckable } from './work.ts';

/** Mistakes of one input that are reported. */
const MAX_TOLD = 10;

/** The result of {@link loadReaders}. */
export async function readersFor(schemas?: object): Promise<ReaderOf> {
  const expressions = !schemas || hasExpressions(schemas).found ? await loadExpressions() : undefined;
  return (schema) => {
    const check = checkerOf(schema, expressions);
    // References are followed when a value is read. This finds a root reference that leads nowhere now.
    check({});
    const mistakesIn = (value: unknown) => {
      try {
        return check(value);
      } catch (error) {
        if (error instanceof Uncheckable) return [{ path: [], message: error.message }];
        throw error;
      }
    };
    // A call is read when it is planned, shown, approved and run. Its input stays the same object.
    const known = memoize(mistakesIn);
    return z.unknown().check((payload) => {
      const { value } = payload;
      const mistakes = typeof value === 'object' && value !== null ? known(value) : mistakesIn(value);
      for (const { path, message } of mistakes.slice(0, MAX_TOLD))
        payload.issues.push({ code: 'custom', input: value, path: [...path], message });
    });
  };
}

/** Whether one of the schemas may have a regular expression. A property called `pattern` may look like one, which costs 4 ms. */
const mayMatch = (inner: unknown): boolean =>
  typeof inner === 'object' &&
  inner !== null &&
  ('pattern' in inner || 'patternProperties' in inner || Object.values(inner).some(mayMatch));

const hasExpressions = memoize((schemas: object) => ({ found: mayMatch(schemas) }));
