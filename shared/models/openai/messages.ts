import type { Message } from '../../agent/ports.ts';
import type { Block } from '../../agent/session/slots.ts';
import { toCallText, toResultText, withoutResultTags } from './xml.ts';

/** A message of the Chat Completions API. */
export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly ChatCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

interface ChatCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/**
 * History as the Chat Completions API has it: calls on the assistant's message, each result a message of its own
 * right after, then the user's text. A pure function of the history, so that a request repeats the one before it byte
 * for byte. Thinking is left out, and so is every kind of block that only another API has.
 */
export function toChatMessages(messages: readonly Message[]): ChatMessage[] {
  return messages.flatMap(({ role, content }) =>
    role === 'assistant' ? fromAssistant(content) : fromUser(content),
  );
}

function fromAssistant(content: readonly Block[]): ChatMessage[] {
  const text = content.flatMap(textIn).join('');
  const calls = content.flatMap((block): ChatCall[] =>
    block.type === 'tool_use'
      ? [
          {
            id: String(block.id),
            type: 'function',
            function: { name: String(block.name), arguments: JSON.stringify(block.input ?? {}) },
          },
        ]
      : [],
  );
  if (text === '' && calls.length === 0) return [];
  return [{ role: 'assistant', content: text || null, ...(calls.length > 0 && { tool_calls: calls }) }];
}

function fromUser(content: readonly Block[]): ChatMessage[] {
  const results = content.flatMap((block): ChatMessage[] =>
    block.type === 'tool_result'
      ? [{ role: 'tool', tool_call_id: String(block.tool_use_id), content: resultText(block) }]
      : [],
  );
  const text = content.flatMap(textIn).join('\n\n');
  return [...results, ...(text === '' ? [] : [{ role: 'user', content: text } as const])];
}

/**
 * History for a model without tools of its own: calls and results are text in the form that the model was taught
 * (H12).
 */
export function toXmlMessages(messages: readonly Message[]): ChatMessage[] {
  const names = new Map(
    messages.flatMap(({ content }) =>
      content.flatMap(({ type, id, name }) =>
        type === 'tool_use' ? [[String(id), String(name)] as const] : [],
      ),
    ),
  );
  return messages.flatMap(({ role, content }): ChatMessage[] => {
    const pieces = content.flatMap((block) => {
      if (block.type === 'tool_use') return [toCallText(block)];
      if (block.type === 'tool_result') {
        return [toResultText(names.get(String(block.tool_use_id)) ?? '', resultText(block))];
      }
      return role === 'user' ? textIn(block).map(withoutResultTags) : textIn(block);
    });
    const text = pieces.join('\n');
    return text === '' ? [] : [{ role, content: text }];
  });
}

const textIn = (block: Block): string[] =>
  block.type === 'text' && typeof block.text === 'string' && block.text !== '' ? [block.text] : [];

/** A result's text; of results in blocks, what is text in them. */
function resultText({ content }: Block): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.flatMap((block: Block) => textIn(block)).join('\n') : '';
}
