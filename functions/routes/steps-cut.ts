import { answerBytes } from './page.ts';

/** Bytes of an answer that a function may still give, whatever is around it. */
const MAX_BYTES = 5_500_000;
/** Characters to which texts are cut where that is needed: a reply with many long ones is cut further. */
const CUTS = [500_000, 50_000, 5_000, 500, 50];

/** A value as it is, or with its long texts cut with a mark, and `cut`: a reply and its results may have more than any answer holds. */
export function cutToFit<Value extends object>(value: Value): Value & { readonly cut?: true } {
  if (answerBytes(value) <= MAX_BYTES) return value;
  for (const most of CUTS) {
    const shorter = { ...withShort(value, most), cut: true as const };
    if (answerBytes(shorter) <= MAX_BYTES) return shorter;
  }
  throw new Error('a step has more texts than any answer holds');
}

/** Every text of a value with at most so many characters. */
function withShort<Value>(value: Value, most: number): Value {
  const shorten = (_: string, part: unknown): unknown =>
    typeof part === 'string' && part.length > most
      ? `${part.slice(0, most).toWellFormed()}… [cut: the whole has ${part.length} characters]`
      : part;
  return JSON.parse(JSON.stringify(value, shorten)) as Value;
}
