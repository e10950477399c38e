import { readOnce } from '../../shared/agent/plain/read-once.ts';

/** Whether a text has something that matches. */
export type Matches = (text: string) => boolean;

const readLibrary = readOnce(() => import('re2js'));

/** Characters of a regular expression. */
const MAX_PATTERN = 1_000;
/** What repetitions may multiply to, one in the other: a compiled expression has that many parts. */
const MAX_REPEATED = 1_000;
/** Parts of a compiled expression: each character of a text may be held against each of them. */
const MAX_PARTS = 1_000;
/** Characters of one text, times the parts: some seconds in the worst case, which nothing can break off. */
const MAX_WORK = 50_000_000;
/** Milliseconds that one expression may match in, over all texts: meanwhile the worker does nothing else. */
const MATCH_MS = 5_000;

/**
 * A regular expression that somebody else has written, matched in linear time by RE2: the platform's may take for ever
 * (`(a+)+$`). Rejects, with what is wrong, one that is none: backreferences and lookarounds are not part of its syntax. Linear is
 * the text times the expression, which may be long too: where that is too much, and after 5 s, it throws.
 */
export async function linear(pattern: string, { ignoreCase = false } = {}): Promise<Matches> {
  if (pattern.length > MAX_PATTERN)
    throw new Error(`A regular expression has at most ${MAX_PATTERN} characters.`);
  if (repeated(pattern) > MAX_REPEATED)
    throw new Error(`The repetitions of the regular expression are too many: at most ${MAX_REPEATED}.`);
  const { RE2JS } = await readLibrary();
  const compiled = compile(() => RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
  const parts = compiled.programSize();
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
    const isFound = compiled.test(text);
    left -= performance.now() - startedAt;
    return isFound;
  };
}

function compile<Compiled>(compiled: () => Compiled): Compiled {
  try {
    return compiled();
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
