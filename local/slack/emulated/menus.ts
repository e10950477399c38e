import type { SlackBlock } from './caller.ts';

/** The state of a message's menus when these values are selected, as a click reports it (docs.slack.dev, "block_actions"). */
export function menusOf(blocks: readonly SlackBlock[], chosen: readonly string[]) {
  return Object.fromEntries(
    blocks.flatMap(({ block_id, accessory }) => {
      if (accessory?.type !== 'multi_static_select' || !block_id || !accessory.action_id) return [];
      const { type, action_id, options = [] } = accessory;
      const selected_options = chosen.map((value) => {
        const option = options.find((one) => one.value === value);
        if (!option) throw new Error(`the menu has no option ${value}`);
        return option;
      });
      return [[block_id, { [action_id]: { type, selected_options } }]];
    }),
  );
}
