import { memoize } from '../../plain/memoize.ts';
import type { At, Keyword } from './at.ts';
import { canonical } from './canonical.ts';
import { hasFormat } from './formats.ts';
import { Work } from './work.ts';

type Numeric = number | bigint;
const isNumeric = (value: unknown): value is Numeric =>
  typeof value === 'number' || typeof value === 'bigint';

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

const isOfType = (value: unknown, type: unknown): boolean =>
  type === 'integer' ? typeof value === 'bigint' || Number.isInteger(value) : typeOf(value) === type;

/** Characters of a schema's values that a mistake names. */
const MAX_NAMED = 300;
const namedList = memoize((given: object): { readonly text: string } => ({
  text: cut(JSON.stringify(given)),
}));
const cut = (text: string): string => (text.length > MAX_NAMED ? `${text.slice(0, MAX_NAMED)}…` : text);
function named(given: unknown): string {
  if (typeof given === 'object' && given !== null) return namedList(given).text;
  return cut(JSON.stringify(typeof given === 'string' ? given.slice(0, MAX_NAMED + 1) : given) ?? '');
}

/** The values of an `enum` in a form in which equal values are equal, made once per schema: a list may have thousands. */
const choicesIn = memoize((values: readonly unknown[]): ReadonlySet<string> => {
  const work = new Work();
  return new Set(values.map((value) => canonical(value, work)));
});

const isMultiple = (value: Numeric, divisor: number): boolean => {
  if (typeof value === 'bigint') return !Number.isSafeInteger(divisor) || value % BigInt(divisor) === 0n;
  if (Number.isInteger(value) && Number.isInteger(divisor)) return value % divisor === 0;
  // 0.3 is a multiple of 0.1, though their quotient is 2.9999999999999996.
  const quotient = value / divisor;
  return Math.abs(quotient - Math.round(quotient)) < 1e-7;
};

/** A keyword that limits a number. */
const number =
  (words: string, isWithin: (value: Numeric, bound: number) => boolean): Keyword =>
  (bound, at) => {
    if (isNumeric(at.value) && typeof bound === 'number' && !isWithin(at.value, bound))
      at.wrong(`must be ${words} ${bound}`);
  };

/** The two exclusive bounds are numbers; before draft-06 they were flags beside the other bound. */
const flagged = (at: At, flag: string, bound: number): boolean =>
  at.schema[flag] === true && at.value === bound;

/** A keyword for texts. */
const text =
  (check: (text: string, given: unknown, at: At) => string | undefined): Keyword =>
  (given, at) => {
    if (typeof at.value !== 'string') return;
    at.check.work.spend(at.value.length >> 6);
    const wrong = check(at.value, given, at);
    if (wrong !== undefined) at.wrong(wrong);
  };

/** Length in code points, as the specification counts. */
function lengthOf(value: string): number {
  let length = 0;
  for (const _ of value) length += 1;
  return length;
}

/** Keywords for values that have no members. */
export const ofValues: readonly (readonly [string, Keyword])[] = [
  [
    'type',
    (type, at) => {
      const types = Array.isArray(type) ? type : [type];
      if (!types.some((one) => isOfType(at.value, one)))
        at.wrong(`must be of type ${types.join(' or ')}, and is ${typeOf(at.value)}`);
    },
  ],
  [
    'enum',
    (values, at) => {
      if (Array.isArray(values) && !choicesIn(values).has(canonical(at.value, at.check.work)))
        at.wrong(`must be one of ${named(values)}`);
    },
  ],
  [
    'const',
    (value, at) => {
      const { work } = at.check;
      if (canonical(value, work) !== canonical(at.value, work)) at.wrong(`must be ${named(value)}`);
    },
  ],
  [
    'minimum',
    (bound, at) => {
      number('at least', (value, least) => value >= least && !flagged(at, 'exclusiveMinimum', least))(
        bound,
        at,
      );
    },
  ],
  [
    'maximum',
    (bound, at) => {
      number('at most', (value, most) => value <= most && !flagged(at, 'exclusiveMaximum', most))(bound, at);
    },
  ],
  ['exclusiveMinimum', number('more than', (value, bound) => value > bound)],
  ['exclusiveMaximum', number('less than', (value, bound) => value < bound)],
  ['multipleOf', number('a multiple of', (value, divisor) => divisor <= 0 || isMultiple(value, divisor))],
  [
    'minLength',
    text((value, least) =>
      typeof least === 'number' && lengthOf(value) < least
        ? `is too short: at least ${least} characters`
        : undefined,
    ),
  ],
  [
    'maxLength',
    text((value, most) =>
      typeof most === 'number' && lengthOf(value) > most
        ? `is too long: at most ${most} characters`
        : undefined,
    ),
  ],
  [
    'pattern',
    text((value, pattern, at) =>
      typeof pattern === 'string' && at.check.matches(pattern, value) === false
        ? `must match ${named(pattern)}`
        : undefined,
    ),
  ],
  [
    'format',
    text((value, format) =>
      typeof format === 'string' && !hasFormat(format, value)
        ? `must have the format ${named(format)}`
        : undefined,
    ),
  ],
];
