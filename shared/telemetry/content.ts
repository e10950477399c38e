/** The words of people, models and tools, as attributes: exported only where the definition asks for it. */

import { contentAsRead } from '../agent/session/reply.ts';
import type { Block, InputTurn, ModelSlot, ToolCall, ToolResult } from '../agent/session/slots.ts';
import type { Attributes } from './span.ts';

/** Characters of one attribute: collectors refuse large requests. */
const MOST = 32_000;

/**
 * The model's input since its previous reply, and its answer, in the conventions' JSON. The earlier conversation is in
 * earlier spans.
 */
export const contentOfReply = ({ input, reply }: ModelSlot): Attributes => ({
  'gen_ai.input.messages': json(input.map(messageOf)),
  ...(reply && {
    'gen_ai.output.messages': json([
      { role: 'assistant', parts: contentAsRead(reply).flatMap(partOf), finish_reason: reply.stop },
    ]),
  }),
});

export const contentOfCall = (call: ToolCall | undefined, { content }: ToolResult): Attributes => ({
  ...(call && { 'gen_ai.tool.call.arguments': json(call.input) }),
  'gen_ai.tool.call.result': cut(content),
});

const messageOf = ({ text }: InputTurn) => ({ role: 'user', parts: [{ type: 'text', content: text }] });

/** Text and calls. Other parts of a reply, such as the model's thinking, are left out. */
function partOf(block: Block): object[] {
  if (block.type === 'text') return [{ type: 'text', content: block.text }];
  if (block.type === 'tool_use')
    return [{ type: 'tool_call', id: block.id, name: block.name, arguments: block.input }];
  return [];
}

const json = (value: unknown): string => cut(JSON.stringify(value) ?? '');

const cut = (text: string): string => (text.length > MOST ? text.slice(0, MOST).toWellFormed() : text);
