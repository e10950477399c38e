/** Where a sentence announces: what stands before that, and what after its verb. */
export interface Deed {
  readonly before: string;
  readonly after: string;
}

/** How one language announces. All patterns are tried on single sentences, without quotes and code, with one blank between words. */
export interface Language {
  /** The speaker's own next deed in the sentence. */
  readonly deedIn: (sentence: string) => Deed | undefined;
  /** What may not stand before that: a request, or that somebody else is quoted. */
  readonly notAfter: RegExp;
  /** In the same sentence: a condition, another time than now, or somebody who is told something. */
  readonly waits: RegExp;
  /** Words that look like that and are not. With the flag `g`. */
  readonly harmless: RegExp;
  /** In the whole paragraph: the user is asked for something. */
  readonly asks: RegExp;
  /** A sentence that only goes on with the one before it. */
  readonly goesOn: RegExp;
  /** What is said after an announcement, and announces nothing: "One moment." */
  readonly pause: RegExp;
}

/** One pattern of several, written one a line. */
export const anyOf = (...patterns: readonly string[]): string => `(?:${patterns.join('|')})`;

/** One pattern of words that blanks part, and ends of lines; `_` is a blank in one of them. */
export const wordsOf = (text: string): string => anyOf(...text.trim().split(/\s+/)).replaceAll('_', ' ');

/** The deed that a pattern finds, up to its verb. */
export function deedBy(pattern: RegExp, sentence: string): Deed | undefined {
  const found = pattern.exec(sentence);
  return found
    ? { before: sentence.slice(0, found.index), after: sentence.slice(found.index + found[0].length) }
    : undefined;
}
