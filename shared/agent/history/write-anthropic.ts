import type { Turn } from './turns.ts';
import { textsOf } from './write-openai.ts';

/** A block of Anthropic's Messages API. */
type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | { type: 'tool_result'; tool_use_id: string; content: string; is_error?: true };

/** A message of Anthropic's Messages API. */
export interface AnthropicMessage {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

/** Turns as messages of the Messages API: roles alternate, and results are first in the message after their calls. */
export function writeAnthropic(turns: readonly Turn[]): AnthropicMessage[] {
  const messages: AnthropicMessage[] = [];
  for (const turn of turns) {
    const role = turn.kind === 'reply' ? 'assistant' : 'user';
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...blocksOf(turn));
    else messages.push({ role, content: blocksOf(turn) });
  }
  return messages;
}

function blocksOf(turn: Turn): Block[] {
  switch (turn.kind) {
    case 'user':
      return textsOf(turn.parts).map((text) => ({ type: 'text', text }));
    case 'reply':
      return [
        ...turn.texts.map((text) => ({ type: 'text' as const, text })),
        ...turn.calls.map(({ id, name, input }) => ({ type: 'tool_use' as const, id, name, input })),
      ];
    case 'results':
      return turn.results.map(({ callId, text, failed }) => ({
        ...{ type: 'tool_result', tool_use_id: callId, content: text },
        ...(failed && { is_error: true }),
      }));
    default:
      return turn satisfies never;
  }
}
