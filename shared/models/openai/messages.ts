import { memoize } from '../../agent/plain/memoize.ts';
import type { Message } from '../../agent/ports/provider.ts';
import type { Block } from '../../agent/session/slots.ts';
import type { ServerRules } from '../dialects.ts';
import { fromAssistant } from './assistant.ts';
import { byIds } from './by-ids.ts';
import type { ChatMessage, UserPart } from './chat.ts';
import { inOrder } from './order.ts';
import { resultText, seenIn, textIn } from './seen.ts';
import { wireIds } from './wire-ids.ts';
import { toCallText, toResultText, withoutResultTags } from './xml.ts';

/**
 * History in the form of the Chat Completions API: calls on the assistant's message, each result a message of its own
 * right after, then the user's text. It is a pure function of the history and the server's rules, so that a request
 * repeats the one before it byte for byte. Blocks that only another API has are left out. The same message object with
 * the same ids gives the same objects.
 */
export function toChatMessages(messages: readonly Message[], rules: ServerRules): readonly ChatMessage[] {
  const idsOf = wireIds(rules);
  const made = madeBy(rules);
  const chat = messages.flatMap((message) => made(message, idsOf(message)));
  return inOrder(chat, rules);
}

const madeBy = memoize((rules: ServerRules) =>
  byIds(({ role, content }, ids) =>
    role === 'assistant' ? fromAssistant(content, ids, rules) : fromUser(content, ids),
  ),
);

function fromUser(content: readonly Block[], ids: readonly string[]): ChatMessage[] {
  const results = content
    .filter(({ type }) => type === 'tool_result')
    .map(
      (block, at): ChatMessage => ({
        role: 'tool',
        tool_call_id: ids[at] ?? String(block.tool_use_id),
        content: resultText(block),
      }),
    );
  const text = content.flatMap(textIn).join('\n\n');
  return [...results, ...userMessage(content.flatMap(allSeenIn), text)];
}

function userMessage(seen: readonly UserPart[], text: string): ChatMessage[] {
  if (seen.length > 0)
    return [{ role: 'user', content: [...seen, ...(text === '' ? [] : [{ type: 'text', text } as const])] }];
  return text === '' ? [] : [{ role: 'user', content: text }];
}

/** Includes the media in a result: results are text alone in this API, and their images follow them. */
const allSeenIn = (block: Block): UserPart[] =>
  Array.isArray(block.content) ? block.content.flatMap(seenIn) : seenIn(block);

/**
 * History for a model without native tools: calls and results are text in the form that the model was taught. The same
 * messages give the same objects.
 */
export const toXmlMessages = (messages: readonly Message[]): ChatMessage[] =>
  messages.flatMap((message, at) => xmlAfter(messages[at - 1] ?? nothing)(message));

const nothing: Message = { role: 'assistant', content: [] };

/** A message, given the one before it, which has the calls whose results these are. */
const xmlAfter = memoize(({ content: before }: Message) => {
  const names = new Map(
    before.flatMap(({ type, id, name }) =>
      type === 'tool_use' ? [[String(id), String(name)] as const] : [],
    ),
  );
  return memoize(({ role, content }: Message): readonly ChatMessage[] => {
    const pieces = content.flatMap((block) => {
      if (block.type === 'tool_use') return [toCallText(block)];
      if (block.type === 'tool_result') {
        return [toResultText(names.get(String(block.tool_use_id)) ?? '', resultText(block))];
      }
      return role === 'user' ? textIn(block).map(withoutResultTags) : textIn(block);
    });
    const text = pieces.join('\n');
    if (role === 'user') return userMessage(content.flatMap(allSeenIn).map(withoutTags), text);
    return text === '' ? [] : [{ role, content: text }];
  });
});

/** Other people wrote a document: no tool result can begin in it. */
const withoutTags = (part: UserPart): UserPart =>
  part.type === 'text' ? { type: 'text', text: withoutResultTags(part.text) } : part;
