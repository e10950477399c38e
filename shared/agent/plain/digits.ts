/**
 * JSON whose numbers stay what they are. A double holds integers up to 2^53 exactly; beyond, `JSON.parse` makes another number of most of them, and of
 * `1e400` none at all. Such numbers become text of their digits here. Fractions are the doubles that every reader of JSON makes of them.
 *
 * Reports: earendil-works/pi#8943, NousResearch/hermes-agent#55315, oceanbase/powercontext#1098.
 */

/** The shortest text that can have a number which a double does not hold: 16 digits in a row, or an exponent of three. */
const MAY_BE_LARGE = /\d{16}|\d[eE]\+?\d{3}/;

/** As `JSON.parse`; throws as it does. */
export function parseExactly(text: string): unknown {
  if (!MAY_BE_LARGE.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepDigits as Reviver);
}

type Reviver = (key: string, value: unknown) => unknown;

/** The third argument has the text of a number: ECMAScript's `JSON.parse` source text access, in Node from 21. Node 20, on which only the command runs, reads as ever. */
function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value !== 'number' || source === undefined || isHeld(value, source) ? value : source;
}

/** Whether a double is written with the digits again that its text has: whatever this code has written as a number is read as one. */
const isHeld = (value: number, source: string): boolean =>
  Number.isSafeInteger(value) || (/^-?\d+$/.test(source) ? String(value) === source : Number.isFinite(value));

/** The integer that a text of digits is, where a double cannot hold it; undefined for any other value. */
export function largeInteger(value: unknown): bigint | undefined {
  if (typeof value !== 'string' || value.length > MAX_DIGITS || !/^-?[1-9]\d{15,}$/.test(value))
    return undefined;
  return Number.isSafeInteger(Number(value)) ? undefined : BigInt(value);
}

/** Digits of an integer that is worked with: those of 1,024 bits and some more. Longer ones are only text. */
const MAX_DIGITS = 400;

/** Whether a value has such a text in it. Looks at each value once. */
export function hasLargeInteger(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasLargeInteger);
  return largeInteger(value) !== undefined;
}

/** JSON of a value, with integers of its own type: those that a number holds as numbers, others as text of their digits. */
export function jsonWithDigits(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The platform refuses a bigint. It writes everything else deeper, and faster, without a function for each value.
    if (error instanceof TypeError) return JSON.stringify(value, ofBigint);
    throw error;
  }
}

function ofBigint(_key: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

/** The same value with each bigint made into something else. */
export function mapBigints(value: unknown, to: (integer: bigint) => unknown): unknown {
  if (typeof value === 'bigint') return to(value);
  if (Array.isArray(value)) return value.map((item) => mapBigints(item, to));
  if (typeof value !== 'object' || value === null) return value;
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapBigints(inner, to)]));
}
