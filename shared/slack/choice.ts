/** Which changes of a plan a person has selected, in a menu beside the buttons. */

import type { BlockActions } from './payloads.ts';

/** Names of the menu and of its block. */
export const CHOICE = 'steploop.changes';

/** How many changes a plan has, by its heading, which stands before the plan itself (`tools/show-changes.ts`). */
export const changesIn = (message: string): number =>
  Number(/^Plan: (\d+) changes?$/m.exec(message)?.[1] ?? 0);

/**
 * The menu: the changes by their numbers, as in the text above it. Slack's menus have up to 100 options, and plans up
 * to 50 changes.
 */
export const choiceOf = (changes: number) => ({
  type: 'multi_static_select',
  action_id: CHOICE,
  placeholder: { type: 'plain_text', text: 'Changes' },
  options: Array.from({ length: changes }, (_, i) => ({
    text: { type: 'plain_text', text: `Change ${i + 1}` },
    value: `${i + 1}`,
  })),
});

/** The numbers of the selected changes in the message whose button was clicked. */
export const chosenIn = ({ state }: Pick<BlockActions, 'state'>): number[] =>
  (state?.values?.[CHOICE]?.[CHOICE]?.selected_options ?? []).map(({ value }) => Number(value));
