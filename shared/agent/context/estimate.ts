import { jsonOf } from '../plain/memoize.ts';
import type { Message, ModelRequest } from '../ports/provider.ts';
import type { Block } from '../session/slots.ts';
import { isMedia, mediaTokens, storedAs } from './media.ts';

type Prompt = Pick<ModelRequest, 'system' | 'tools' | 'messages'>;

/** An estimate of a request's tokens: a quarter of its characters. */
export function estimateTokens({ system, tools, messages }: Prompt): number {
  return Math.floor((system.length + JSON.stringify(tools).length + charsOf(messages)) / 4);
}

/** Characters of messages as JSON, including the separators and the brackets around all; four for each token of an image. */
export function charsOf(messages: readonly Message[]): number {
  const between = Math.max(0, messages.length - 1);
  const chars = (message: Message) => jsonOf(message).length + 4 * mediaTokens(message);
  return messages.map(storedAs).reduce((sum, message) => sum + chars(message), between + 2);
}

/**
 * The same as {@link estimateTokens} for the texts alone, without the JSON around them: the measure of `sliding_window` and
 * `compact`.
 */
export function textTokens({ system, tools, messages }: Prompt): number {
  const declared = tools.length > 0 ? JSON.stringify(tools).length : 0;
  return Math.floor((system.length + declared + textCharsOf(messages)) / 4);
}

/** Characters of the texts in messages; four for each token of an image. */
export const textCharsOf = (messages: readonly Message[]): number =>
  messages.reduce(
    (sum, message) =>
      message.content.reduce((chars, block) => chars + textChars(block), sum) + 4 * mediaTokens(message),
    0,
  );

function textChars(block: Block): number {
  if (block.type === 'text') return String(block.text).length;
  if (block.type === 'tool_result') return resultChars(block.content);
  if (block.type === 'tool_use') return String(block.name).length + JSON.stringify(block.input).length;
  return isMedia(block) ? 0 : JSON.stringify(block).length;
}

const resultChars = (content: unknown): number =>
  Array.isArray(content)
    ? content.reduce((chars: number, block: Block) => chars + textChars(block), 0)
    : String(content).length;
