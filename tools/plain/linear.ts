import { readOnce } from '../../shared/agent/plain/read-once.ts';

/** Whether a text has something that matches. */
export type Matches = (text: string) => boolean;

const readLibrary = readOnce(() => import('re2js'));

/** Characters of a regular expression. */
const MAX_PATTERN = 1_000;
/** What repetitions may multiply to, one in the other: a compiled expression has that many parts. */
const MAX_REPEATED = 1_000;

/**
 * A regular expression that somebody else has written, matched in linear time by RE2: the platform's may take for ever
 * (`(a+)+$`). Rejects, with what is wrong, one that is none: backreferences and lookarounds are not part of its syntax.
 */
export async function linear(pattern: string, { ignoreCase = false } = {}): Promise<Matches> {
  if (pattern.length > MAX_PATTERN)
    throw new Error(`A regular expression has at most ${MAX_PATTERN} characters.`);
  if (repeated(pattern) > MAX_REPEATED)
    throw new Error(`The repetitions of the regular expression are too many: at most ${MAX_REPEATED}.`);
  const { RE2JS } = await readLibrary();
  try {
    const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return (text) => compiled.matcher(text).find();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `This is no regular expression of RE2's syntax (no lookarounds, no backreferences): ${why}. To look for a text as it is, put a backslash before each of . * + ? ( ) [ ] { } | ^ $ and \\.`,
    );
  }
}

/** The product of all counts in braces: more than a nested one can come to. */
function repeated(pattern: string): number {
  let product = 1;
  for (const [, least = '0', most = ''] of pattern.matchAll(/\{(\d{1,6})(?:,(\d{0,6}))?\}/g))
    product *= Math.max(1, Number(least), Number(most || 0));
  return product;
}
