/** The limits of Slack's Web API for messages, and the errors with which it refuses. For the emulated Slack and for tests. */

type Args = Readonly<Record<string, string | undefined>>;

/**
 * Bytes of `text` in `chat.update`, as Slack counts them: in UTF-8, after it has escaped `&`, `<` and `>`
 * (gitlab-org/gitlab!258898: answers with long dashes or code, cut at 4,000 characters, were refused).
 */
const UPDATED_BYTES = 4_000;
/** Characters of `markdown_text` in each method that has it (docs.slack.dev, chat.appendStream). */
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
  const { text = '', markdown_text: markdown = '', blocks } = args;
  if (markdown.length > MARKDOWN) return 'msg_too_long';
  if (method === 'chat.update' && escapedBytes(text) > UPDATED_BYTES) return 'msg_too_long';
  if (method === 'chat.postEphemeral' && text.length > EPHEMERAL) return 'msg_too_long';
  return blocks === undefined ? undefined : brokenByBlocks(JSON.parse(blocks));
}

/** Whether a stream that shows `text` has no room for more. */
export const isStreamFull = (text: string): boolean => text.length > BLOCKS;

/** The part of a posted text that Slack keeps. */
export const asPosted = (text: string): string => text.slice(0, POSTED);

function brokenByBlocks(blocks: readonly unknown[]): string | undefined {
  const texts = blocks.flatMap(textsIn);
  if (blocks.length > MOST_BLOCKS || texts.some(({ length }) => length > TEXT_OBJECT))
    return 'invalid_blocks';
  return texts.reduce((sum, { length }) => sum + length, 0) > BLOCKS ? 'msg_blocks_too_long' : undefined;
}

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
