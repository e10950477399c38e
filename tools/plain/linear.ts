import { loadExpressions } from '../../shared/agent/plain/expressions.ts';

/** Whether a text contains a match. */
export type Matches = (text: string) => boolean;

/** Most parts of a compiled expression: each character of a text may be compared with each of them. */
const MAX_PARTS = 1_000;
/** Most characters of one text, times the parts: some seconds in the worst case, which cannot be interrupted. */
const MAX_WORK = 50_000_000;
/** Milliseconds that one expression may match in, over all texts: meanwhile the worker does nothing else. */
const MATCH_MS = 5_000;

/**
 * A regular expression from outside, matched in linear time by RE2: the platform's engine may take for ever (`(a+)+$`).
 * Rejects an invalid expression with the reason: backreferences and lookarounds are not part of its syntax. The time is
 * still the text times the expression, which may be long too: if that is too much, or after 5 s, it throws.
 */
export async function linear(
  pattern: string,
  options: { readonly ignoreCase?: boolean } = {},
): Promise<Matches> {
  const { compile } = await loadExpressions();
  const { parts, test } = compile(pattern, options);
  if (parts > MAX_PARTS)
    throw new Error(
      `The regular expression comes to more than ${MAX_PARTS} parts with its repetitions: make it shorter.`,
    );
  let left = MATCH_MS;
  return (text) => {
    if (left <= 0 || text.length * parts > MAX_WORK)
      throw new Error(
        'The regular expression takes too long on these texts: make it simpler, or narrow where it is looked for.',
      );
    const startedAt = performance.now();
    const isFound = test(text);
    left -= performance.now() - startedAt;
    return isFound;
  };
}
