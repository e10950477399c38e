/** The limits of Slack's Web API for messages, and the errors with which it refuses. For the emulated Slack and for tests. */

import { isBroken } from './block-rules.ts';
import { brokenChunks } from './stream-rules.ts';
import { brokenView } from './view-rules.ts';

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
/** Blocks in one message (docs.slack.dev, "Blocks"). */
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
  if (isStream) {
    const broken = brokenChunks(args);
    if (broken) return broken;
  }
  if ((markdown ?? '').length > MARKDOWN) return 'msg_too_long';
  if (method.startsWith('views.')) return brokenView(method, JSON.parse(args.view ?? 'null'));
  if (NEEDS_TEXT.has(method) && !text && !blocks && !markdown && !args.attachments) return 'no_text';
  if (method === 'chat.update' && escapedBytes(text) > UPDATED_BYTES) return 'msg_too_long';
  if (method === 'chat.postEphemeral' && text.length > EPHEMERAL) return 'msg_too_long';
  return blocks === undefined ? undefined : brokenByBlocks(JSON.parse(blocks));
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
