import type { At, Keyword, Outcome } from './at.ts';

const fits = ({ mistakes }: Outcome): boolean => mistakes.length === 0;
const listed = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : []);

const ref: Keyword = (given, at) => {
  if (typeof given === 'string') at.take(at.referred(given));
};

/** Reports the nearest alternative: a model corrects that one, and a list of all mistakes would hide it. */
function tellNearest(at: At, outcomes: readonly Outcome[]): void {
  at.wrong(`fits none of the ${outcomes.length} alternatives`);
  const [nearest] = outcomes.toSorted((a, b) => a.mistakes.length - b.mistakes.length);
  if (nearest) at.take({ ...nearest, seen: new Set() });
}

/** Keywords that combine schemas, for a value of any type. */
export const branching: readonly (readonly [string, Keyword])[] = [
  ['$ref', ref],
  ['$dynamicRef', ref],
  ['$recursiveRef', ref],
  [
    'allOf',
    (given, at) => {
      for (const schema of listed(given)) at.take(at.alike(schema));
    },
  ],
  [
    'anyOf',
    (given, at) => {
      const outcomes = listed(given).map((schema) => at.alike(schema));
      const fitting = outcomes.filter(fits);
      for (const outcome of fitting) at.take(outcome);
      if (outcomes.length > 0 && fitting.length === 0) tellNearest(at, outcomes);
    },
  ],
  [
    'oneOf',
    (given, at) => {
      const outcomes = listed(given).map((schema) => at.alike(schema));
      const [only, ...others] = outcomes.filter(fits);
      if (others.length > 0) at.wrong(`fits ${others.length + 1} alternatives, of which it may fit only one`);
      else if (only) at.take(only);
      else if (outcomes.length > 0) tellNearest(at, outcomes);
    },
  ],
  [
    'not',
    (given, at) => {
      if (fits(at.alike(given))) at.wrong('is what the schema says it must not be');
    },
  ],
  [
    'if',
    (given, at) => {
      const condition = at.alike(given);
      if (fits(condition)) at.take(condition);
      const next = fits(condition) ? at.schema.then : at.schema.else;
      if (next !== undefined) at.take(at.alike(next));
    },
  ],
];
