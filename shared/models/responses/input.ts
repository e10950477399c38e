import type { Message } from '../../agent/ports/provider.ts';
import type { Block } from '../../agent/session/slots.ts';
import type { ServerRules } from '../dialects.ts';
import { byIds } from '../openai/by-ids.ts';
import type { UserPart } from '../openai/chat.ts';
import { resultText, seenIn, textIn } from '../openai/seen.ts';
import { wireIds } from '../openai/wire-ids.ts';
import type { InputItem, InputPart } from './items.ts';
import { fromReply } from './reply-items.ts';

/**
 * History as items of the Responses API: a reply's items in their order, then each result, then the user's text. It is a
 * pure function of the history and the server's rules, so that a request repeats the one before it byte for byte.
 */
export function toInput(messages: readonly Message[], rules: ServerRules): readonly InputItem[] {
  const idsOf = wireIds(rules);
  return messages.flatMap((message) => made(message, idsOf(message)));
}

const made = byIds(({ role, content }, ids) =>
  role === 'assistant' ? fromReply(content, ids) : fromUser(content, ids),
);

function fromUser(content: readonly Block[], ids: readonly string[]): InputItem[] {
  const results = content
    .filter(({ type }) => type === 'tool_result')
    .map(
      (block, at): InputItem => ({
        type: 'function_call_output',
        call_id: ids[at] ?? String(block.tool_use_id),
        output: outputOf(block),
      }),
    );
  const text = content.flatMap(textIn).join('\n\n');
  const seen = content.flatMap(seenIn).map(toPart);
  return [...results, ...userMessage(seen, text)];
}

function userMessage(seen: readonly InputPart[], text: string): InputItem[] {
  if (seen.length > 0)
    return [
      { role: 'user', content: [...seen, ...(text === '' ? [] : [{ type: 'input_text', text } as const])] },
    ];
  return text === '' ? [] : [{ role: 'user', content: text }];
}

/** A result: its text, or its parts if it has more than text. */
function outputOf(block: Block): string | readonly InputPart[] {
  const text = resultText(block);
  const seen = Array.isArray(block.content) ? block.content.flatMap(seenIn).map(toPart) : [];
  if (seen.length === 0) return text;
  return [...(text === '' ? [] : [{ type: 'input_text', text } as const]), ...seen];
}

function toPart(part: UserPart): InputPart {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image_url':
      return { type: 'input_image', image_url: part.image_url.url, detail: 'auto' };
    case 'file':
      return { type: 'input_file', ...part.file };
    default:
      return part satisfies never;
  }
}
