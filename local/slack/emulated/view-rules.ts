/** The limits of Slack's views: App Homes and modals. */

import { isBroken } from './block-rules.ts';
import { isList, isShort, isText } from './values.ts';

/** Blocks of a view, and characters of its parts (docs.slack.dev, "Views"). */
const VIEW_BLOCKS = 100;
const TITLE = 24;
const METADATA = 3_000;
/** Bytes of a view (docs.slack.dev, views.open, "view_too_large"). */
const VIEW_BYTES = 250_000;

type Json = Readonly<Record<string, unknown>>;

/** Slack's error for a view: "invalid_arguments" if it does not follow the schema (docs.slack.dev, views.publish, views.open). */
export function brokenView(method: string, view: unknown): string | undefined {
  const { type, blocks } = (view ?? {}) as Json;
  if (JSON.stringify(view).length > VIEW_BYTES) return 'view_too_large';
  if (type !== (method === 'views.publish' ? 'home' : 'modal')) return 'invalid_arguments';
  const isView =
    isList(blocks, 0, VIEW_BLOCKS, (block) => !isBrokenBlock(block)) &&
    (type === 'home' || isModal(view as Json));
  return isView ? undefined : 'invalid_arguments';
}

/** A modal with inputs needs a button to submit it. */
function isModal({
  title,
  submit,
  close,
  private_metadata: metadata,
  callback_id: id,
  blocks,
}: Json): boolean {
  const hasInputs = (blocks as Json[]).some(({ type }) => type === 'input');
  const ids = (blocks as Json[]).flatMap(({ block_id: one }) => (one === undefined ? [] : [one]));
  return (
    isPlain(title, TITLE) &&
    (submit === undefined ? !hasInputs : isPlain(submit, TITLE)) &&
    (close === undefined || isPlain(close, TITLE)) &&
    (metadata === undefined || isShort(metadata, METADATA)) &&
    (id === undefined || isShort(id, 255)) &&
    new Set(ids).size === ids.length
  );
}

function isBrokenBlock(block: unknown): boolean {
  const { type, label, hint, element, block_id: id } = (block ?? {}) as Json;
  if (type !== 'input') return isBroken(block);
  return (
    !isPlain(label, 2_000) ||
    (hint !== undefined && !isPlain(hint, 2_000)) ||
    (id !== undefined && !isShort(id, 255)) ||
    !isInput((element ?? {}) as Json)
  );
}

/** The elements of input blocks (docs.slack.dev, "Block elements", page by page). Those that the app does not use are refused. */
function isInput({ type, action_id: id, ...element }: Json): boolean {
  if (id !== undefined && !isShort(id, 255)) return false;
  const { options, min_length: least = 0, max_length: most = 3_000 } = element;
  switch (type) {
    case 'plain_text_input':
      return isCount(least, 0, 3_000) && isCount(most, 1, 3_000) && Number(least) <= Number(most);
    case 'number_input':
      return (
        typeof element.is_decimal_allowed === 'boolean' &&
        [element.min_value, element.max_value].every(
          (one) => one === undefined || isNumeric(one, element.is_decimal_allowed === true),
        ) &&
        // "min_value: cannot be greater than max_value."
        !(Number(element.min_value) > Number(element.max_value))
      );
    case 'email_text_input':
    case 'url_text_input':
    case 'datepicker':
    case 'datetimepicker':
      return true;
    case 'static_select':
    case 'multi_static_select':
      return (
        isList(options, 1, 100, isOption) &&
        (element.max_selected_items === undefined || isCount(element.max_selected_items, 1, 100))
      );
    default:
      return false;
  }
}

/** docs.slack.dev, "Option object". */
function isOption(option: unknown): boolean {
  const { text, value } = (option ?? {}) as Json;
  return isPlain(text, 75) && isShort(value, 150) && value !== '';
}

const isPlain = (value: unknown, most: number): boolean =>
  ((value ?? {}) as Json).type === 'plain_text' && isText(value, most);
const isCount = (value: unknown, least: number, most: number): boolean =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
const isNumeric = (value: unknown, isDecimal: boolean): boolean =>
  typeof value === 'string' && (isDecimal ? /^-?\d+(?:\.\d+)?$/ : /^-?\d+$/).test(value);
