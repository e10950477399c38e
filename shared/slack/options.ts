/** The answers that a question offers, as buttons. */

import { actions, button, clipped } from './kit.ts';
import type { Block } from './outgoing.ts';

/** Name of the buttons, before the number of the option. */
const NAME = 'steploop.option.';
/** Characters of a button's text (Block Kit, "Button element"). */
const TEXT = 75;

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
