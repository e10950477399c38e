import { answerBytes } from './page.ts';

/** Most bytes of an answer that a function can return, whatever surrounds them. */
const MAX_BYTES = 5_500_000;
/** Lengths in characters to which texts are cut, tried in turn: a reply with many long texts is cut further. */
const CUTS = [500_000, 50_000, 5_000, 500, 50];

/** A value, unchanged or with its long texts cut and `cut` set: a reply and its results may be larger than any answer. */
export function cutToFit<Value extends object>(value: Value): Value & { readonly cut?: true } {
  if (answerBytes(value) <= MAX_BYTES) return value;
  for (const most of CUTS) {
    const shorter = { ...withShort(value, most), cut: true as const };
    if (answerBytes(shorter) <= MAX_BYTES) return shorter;
  }
  throw new Error('a step has more texts than any answer holds');
}

/** A copy in which every text has at most this many characters. */
function withShort<Value>(value: Value, most: number): Value {
  const shorten = (_: string, part: unknown): unknown =>
    typeof part === 'string' && part.length > most
      ? `${part.slice(0, most).toWellFormed()}… [cut: the whole has ${part.length} characters]`
      : part;
  return JSON.parse(JSON.stringify(value, shorten)) as Value;
}
