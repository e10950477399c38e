/**
 * The answers that a question offers, as buttons. They are the lines at the end of its text, so that a click is read by what the
 * person was shown.
 */

import { formIn } from '../contract/form/read.ts';
import { actions, button, clipped } from './kit.ts';
import type { Block } from './outgoing.ts';

/** Name of the buttons, before the number of the option. */
const NAME = 'steploop.option.';
/** Characters of a button's text (Block Kit, "Button element"). */
const TEXT = 75;
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

/** A button for each option. Empty if there are none. */
export const optionButtons = (options: readonly string[], value: string): Block[] =>
  options.length === 0
    ? []
    : [actions(...options.map((option, i) => button(clipped(option, TEXT), `${NAME}${i}`, value)))];

/** The number of the option whose button has this name; undefined for other buttons. */
export function optionOf(name: string): number | undefined {
  const [, digits] = /^steploop\.option\.(\d)$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
