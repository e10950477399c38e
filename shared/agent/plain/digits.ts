/**
 * JSON that keeps its numbers exact. A double holds integers up to 2^53 exactly. Beyond that, `JSON.parse` changes most of them,
 * and reads `1e400` as no number at all. Such numbers become text of their digits here. Fractions become doubles, as in every
 * reader of JSON.
 *
 * Reports: earendil-works/pi#8943, NousResearch/hermes-agent#55315, oceanbase/powercontext#1098.
 */

/** Matches any number that a double may not hold: 16 digits in a row, or an exponent of three digits. */
const MAY_BE_LARGE = /\d{16}|\d[eE]\+?\d{3}/;

/** As `JSON.parse`, with the same errors. */
export function parseExactly(text: string): unknown {
  if (!MAY_BE_LARGE.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepDigits as Reviver);
}

type Reviver = (key: string, value: unknown) => unknown;

/**
 * The third argument has the text of a number: ECMAScript's `JSON.parse` source text access, in Node from 21. Node 20, on which
 * only the command runs, reads numbers as before.
 */
function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value !== 'number' || source === undefined || isHeld(value, source) ? value : source;
}

/** Whether a double is written with the same digits as its text: a number that this code wrote is read back as a number. */
const isHeld = (value: number, source: string): boolean =>
  Number.isSafeInteger(value) || (/^-?\d+$/.test(source) ? String(value) === source : Number.isFinite(value));

/** The integer in a text of digits, if a double cannot hold it; undefined for any other value. */
export function largeInteger(value: unknown): bigint | undefined {
  if (typeof value !== 'string' || value.length > MAX_DIGITS || !/^-?[1-9]\d{15,}$/.test(value))
    return undefined;
  return Number.isSafeInteger(Number(value)) ? undefined : BigInt(value);
}

/** Digits of an integer that is computed with: 1,024 bits and some more. Longer ones stay text. */
const MAX_DIGITS = 400;

/** Whether a value contains such a text. Visits each value once. */
export function hasLargeInteger(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasLargeInteger);
  return largeInteger(value) !== undefined;
}

/** JSON of a value that may contain bigints: those that a double holds become numbers, others become text of their digits. */
export function jsonWithDigits(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The platform refuses a bigint. It handles everything else deeper and faster without a function for each value.
    if (error instanceof TypeError) return JSON.stringify(value, ofBigint);
    throw error;
  }
}

function ofBigint(_key: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

/** The same value with each bigint mapped to something else. */
export function mapBigints(value: unknown, to: (integer: bigint) => unknown): unknown {
  if (typeof value === 'bigint') return to(value);
  if (Array.isArray(value)) return value.map((item) => mapBigints(item, to));
  if (typeof value !== 'object' || value === null) return value;
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapBigints(inner, to)]));
}
