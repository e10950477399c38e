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

/** The third argument has the text of a number: ECMAScript's `JSON.parse` source text access, in Node from 21. */
function keepDigits(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value !== 'number' || source === undefined || isHeld(value, source) ? value : source;
}

/** Whether a double is the very number that its text says, and is written with the same digits again. */
const isHeld = (value: number, source: string): boolean =>
  Number.isSafeInteger(value) ||
  (/^-?\d+$/.test(source)
    ? String(value) === source && BigInt(value) === BigInt(source)
    : Number.isFinite(value));
