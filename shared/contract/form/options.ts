/**
 * The answers that a question offers: the lines at the end of its text. So a question needs nothing but its text on its way to people,
 * and a click is read by what the person was shown.
 */

import { formIn } from './read.ts';

/** A list that is longer is part of the question, and not answers to it. */
const MOST = 10;

/** The answers that the text of a question offers, in order. Empty if it offers none, fewer than two, or has fields. */
export function optionsIn(question: string): readonly string[] {
  const lines = question.split('\n');
  const start = lines.findLastIndex((line) => !line.startsWith('- ')) + 1;
  const options = lines.slice(start).map((line) => line.slice(2).trim());
  const isList = start > 0 && options.length >= 2 && options.length <= MOST && options.every(Boolean);
  return isList && !formIn(question) ? options : [];
}
