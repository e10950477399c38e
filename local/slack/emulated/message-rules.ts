/** The limits of Slack's Web API for messages, and the errors with which it refuses. For the emulated Slack and for tests. */

type Args = Readonly<Record<string, string | undefined>>;

/**
 * Bytes of `text` in `chat.update`, as Slack counts them: in UTF-8, after it has escaped `&`, `<` and `>`
 * (gitlab-org/gitlab!258898: answers with long dashes or code, cut at 4,000 characters, were refused).
 */
const UPDATED_BYTES = 4_000;
/**
 * Characters of `markdown_text` in each method that has it (docs.slack.dev, chat.postMessage, chat.appendStream), and of
 * all `markdown` blocks of a message ("Markdown block": cumulative).
 */
const MARKDOWN = 12_000;
/** Approximate limit of characters in all blocks of a message; measured in slackapi/bolt-js#2509. A stream is blocks too. */
const BLOCKS = 13_200;
/** Characters of one text object, and blocks in one message (docs.slack.dev, "Blocks"). */
const TEXT_OBJECT = 3_000;
const MOST_BLOCKS = 50;
/** Approximate limit of characters in an ephemeral message; measured in nautobot/nautobot-app-chatops#133. */
const EPHEMERAL = 3_000;
/** Characters after which `chat.postMessage` silently cuts a text (docs.slack.dev, chat.postMessage). */
const POSTED = 40_000;

/** Slack's error for a call with such a message; undefined if Slack accepts it. */
export function brokenRule(method: string, args: Args): string | undefined {
  const { text = '', markdown_text: markdown, blocks } = args;
  // docs.slack.dev, chat.postMessage: "should not be used in conjunction with blocks or text".
  const isStream = method.endsWith('Stream');
  if (!isStream && markdown !== undefined && (blocks !== undefined || text !== ''))
    return 'markdown_text_conflict';
  if ((markdown ?? '').length > MARKDOWN) return 'msg_too_long';
  if (method.startsWith('views.')) return brokenView(JSON.parse(args.view ?? 'null'));
  if (NEEDS_TEXT.has(method) && !text && !blocks && !markdown && !args.attachments) return 'no_text';
  if (method === 'chat.update' && escapedBytes(text) > UPDATED_BYTES) return 'msg_too_long';
  if (method === 'chat.postEphemeral' && text.length > EPHEMERAL) return 'msg_too_long';
  return blocks === undefined ? undefined : brokenByBlocks(JSON.parse(blocks));
}

/** Blocks of a view (docs.slack.dev, views.publish: "invalid_arguments" for a view that does not follow the schema). */
const VIEW_BLOCKS = 100;

function brokenView(view: unknown): string | undefined {
  const { type, blocks } = (view ?? {}) as Record<string, unknown>;
  const isView = type === 'home' && isList(blocks, 0, VIEW_BLOCKS, (block) => !isBroken(block));
  return isView ? undefined : 'invalid_arguments';
}

/** docs.slack.dev, chat.postMessage, "no_text": no message text provided. */
const NEEDS_TEXT: ReadonlySet<string> = new Set(['chat.postMessage', 'chat.update', 'chat.postEphemeral']);

/** Whether a stream that shows `text` has no room for more. */
export const isStreamFull = (text: string): boolean => text.length > BLOCKS;

/** The part of a posted text that Slack keeps. */
export const asPosted = (text: string): string => text.slice(0, POSTED);

function brokenByBlocks(blocks: unknown): string | undefined {
  if (!Array.isArray(blocks)) return 'invalid_blocks_format';
  if (blocks.length > MOST_BLOCKS || blocks.some(isBroken)) return 'invalid_blocks';
  const markdown = blocks.filter(({ type }) => type === 'markdown');
  if (markdown.reduce((sum, { text }) => sum + text.length, 0) > MARKDOWN) return 'msg_blocks_too_long';
  const texts = blocks.flatMap(textsIn);
  return texts.reduce((sum, { length }) => sum + length, 0) > BLOCKS ? 'msg_blocks_too_long' : undefined;
}

/** The shapes of blocks, and their limits (docs.slack.dev, "Blocks", page by page). Blocks that the app does not use are refused. */
function isBroken(block: unknown): boolean {
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

const isShort = (value: unknown, most: number): boolean => typeof value === 'string' && value.length <= most;

const isList = (value: unknown, least: number, most: number, each: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length >= least && value.length <= most && value.every(each);

const isText = (value: unknown, most: number): boolean => {
  const { type, text } = (value ?? {}) as Record<string, unknown>;
  return (type === 'mrkdwn' || type === 'plain_text') && isShort(text, most) && text !== '';
};

/** Every text of a block: the strings named `text`, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'text' && typeof inner === 'string' ? [inner] : textsIn(inner),
  );
}

const escapedBytes = (text: string): number =>
  Buffer.byteLength(
    text
      .replaceAll(/&(?!(?:amp|lt|gt);)/g, '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;'),
  );
