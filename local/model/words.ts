/** Word functions for a model without understanding. */

const dull = new Set(
  `a about add after again all also an and any app are as at be because been before but by can could did do does
  doing each every for from get gets had has have how i if in into is it its just like me my need needs never new
  no not now of on once one only open opened opens or other our out over please really same should since so some
  still than that the their them then there these they thing this to too try tried use used using very was we were
  another away first gone great inner large long lost missing next outer second small takes
  what when where which while who why will with work works would yes yesterday you your`.split(/\s+/),
);

/** The significant words of a text, lower case, in order, each once. */
export const wordsOf = (text: string): string[] => [
  ...new Set((text.toLowerCase().match(/[a-z][a-z0-9]+/g) ?? []).filter((word) => !dull.has(word))),
];

/** Removes usual endings, so that `crashes` and `crashed` become `crash`. */
export const stem = (word: string): string =>
  word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/, '').replace(/(.)\1$/, '$1') : word;

export const stemsOf = (text: string): Set<string> => new Set(wordsOf(text).map(stem));

/** The most significant words of a text: long ones first. */
export const tellingWords = (text: string, most: number): string[] =>
  wordsOf(text)
    .filter((word) => word.length > 4)
    .sort((a, b) => b.length - a.length)
    .slice(0, most);
