/** Where a sentence announces something: the text before that, and the text after its verb. */
export interface Deed {
  readonly before: string;
  readonly after: string;
}

/**
 * How one language announces. All patterns are tried on single sentences, without quotes and code, with one blank between words.
 */
export interface Language {
  /** The speaker's own next deed in the sentence. */
  readonly deedIn: (sentence: string) => Deed | undefined;
  /** Text that may not stand before that: a request, or a quotation of another speaker. */
  readonly notAfter: RegExp;
  /** In the same sentence: a condition, another time than now, or a person who is told something. */
  readonly waits: RegExp;
  /** Words that look like that but are not. With the flag `g`. */
  readonly harmless: RegExp;
  /** In the whole paragraph: the user is asked for something. */
  readonly asks: RegExp;
  /** A sentence that only continues the one before it. */
  readonly goesOn: RegExp;
  /** Follows an announcement, and announces nothing: "One moment." */
  readonly pause: RegExp;
}

/** One pattern of several, written one a line. */
export const anyOf = (...patterns: readonly string[]): string => `(?:${patterns.join('|')})`;

/** One pattern of words separated by blanks and line ends; `_` is a blank within a word. */
export const wordsOf = (text: string): string => anyOf(...text.trim().split(/\s+/)).replaceAll('_', ' ');

/** The deed that a pattern finds, up to its verb. */
export function deedBy(pattern: RegExp, sentence: string): Deed | undefined {
  const found = pattern.exec(sentence);
  return found
    ? { before: sentence.slice(0, found.index), after: sentence.slice(found.index + found[0].length) }
    : undefined;
}

/**
 * Finds the deed of a large pattern, if the sentence has words without which the pattern cannot match. Most sentences lack
 * them, and V8 compiles a pattern when it is first used, which takes 10 ms of CPU for each of these.
 */
export const ifThere = (needs: string, pattern: RegExp): Language['deedIn'] => {
  const needed = new RegExp(needs, 'i');
  return (sentence) => (needed.test(sentence) ? deedBy(pattern, sentence) : undefined);
};
