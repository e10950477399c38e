import { jsonOf } from '../plain/once.ts';
import type { Message, ModelRequest } from '../ports.ts';
import type { Block } from '../session/slots.ts';

type Prompt = Pick<ModelRequest, 'system' | 'tools' | 'messages'>;

/** About how many tokens a request is: a quarter of its characters. */
export function estimateTokens({ system, tools, messages }: Prompt): number {
  return Math.floor((system.length + JSON.stringify(tools).length + charsOf(messages)) / 4);
}

/** Characters of messages as JSON: of each, one between two, and the brackets around all. */
export function charsOf(messages: readonly Message[]): number {
  const between = Math.max(0, messages.length - 1);
  return messages.reduce((chars, message) => chars + jsonOf(message).length, between + 2);
}

/** The same as {@link estimateTokens} of what is said alone, without the JSON around it: how A5 and A6 count. */
export function textTokens({ system, tools, messages }: Prompt): number {
  const declared = tools.length > 0 ? JSON.stringify(tools).length : 0;
  return Math.floor((system.length + declared + textCharsOf(messages)) / 4);
}

/** Characters of what messages say. */
export const textCharsOf = (messages: readonly Message[]): number =>
  messages.flatMap(({ content }) => content).reduce((sum, block) => sum + textChars(block), 0);

function textChars(block: Block): number {
  if (block.type === 'text') return String(block.text).length;
  if (block.type === 'tool_result') return String(block.content).length;
  if (block.type === 'tool_use') return String(block.name).length + JSON.stringify(block.input).length;
  return JSON.stringify(block).length;
}
