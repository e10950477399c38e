/** The shapes and limits of Slack's blocks. */

import { isPlan } from './stream-rules.ts';
import { isList, isShort, isText } from './values.ts';

/** Characters of one text object (docs.slack.dev, "Text object"). */
const TEXT_OBJECT = 3_000;

/** The shapes of blocks, and their limits (docs.slack.dev, "Blocks", page by page). Blocks that the app does not use are refused. */
export function isBroken(block: unknown): boolean {
  if (typeof block !== 'object' || block === null) return true;
  const { type, text, fields, elements, block_id: id, accessory } = block as Record<string, unknown>;
  if (id !== undefined && !isShort(id, 255)) return true;
  switch (type) {
    case 'markdown':
      return typeof text !== 'string' || text === '';
    case 'section':
      if (accessory !== undefined && isBrokenElement(accessory)) return true;
      return text === undefined
        ? !isList(fields, 1, 10, (one) => isText(one, 2_000))
        : !isText(text, TEXT_OBJECT);
    case 'header':
      return !isText(text, 150);
    case 'context':
      return !isList(elements, 1, 10, (one) => isText(one, TEXT_OBJECT));
    case 'actions':
      return !isList(elements, 1, 25, (one) => !isBrokenElement(one));
    case 'context_actions':
      return !isList(elements, 1, 5, isFeedback);
    case 'plan':
      return !isPlan(block as Record<string, unknown>);
    case 'divider':
      return false;
    default:
      return true;
  }
}

function isBrokenElement(element: unknown): boolean {
  const { type, text, value, action_id: id } = (element ?? {}) as Record<string, unknown>;
  if (typeof type !== 'string' || (id !== undefined && !isShort(id, 255))) return true;
  return type === 'button' && (!isText(text, 75) || (value !== undefined && !isShort(value, 2_000)));
}

/** docs.slack.dev, "Feedback buttons element". */
function isFeedback(element: unknown): boolean {
  const { type, action_id: id, ...buttons } = (element ?? {}) as Record<string, unknown>;
  if (type !== 'feedback_buttons' || (id !== undefined && !isShort(id, 255))) return false;
  return [buttons.positive_button, buttons.negative_button].every((button) => {
    const { text, value, accessibility_label: label } = (button ?? {}) as Record<string, unknown>;
    return isText(text, 75) && isShort(value, 2_000) && (label === undefined || isShort(label, 75));
  });
}
