import { once } from '../../agent/plain/once.ts';
import type { Message } from '../../agent/ports.ts';
import type { Block } from '../../agent/session/slots.ts';
import { toCallText, toResultText, withoutResultTags } from './xml.ts';

/** A message of the Chat Completions API. */
export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly UserPart[] }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly ChatCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

/** What a user's message may have where it is not only text. */
export type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | { readonly type: 'file'; readonly file: { readonly filename: string; readonly file_data: string } };

interface ChatCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/**
 * History as the Chat Completions API has it: calls on the assistant's message, each result a message of its own
 * right after, then the user's text. A pure function of the history, so that a request repeats the one before it byte
 * for byte. Thinking is left out, and so is every kind of block that only another API has. Of the same message the same
 * objects are made.
 */
export const toChatMessages = (messages: readonly Message[]): ChatMessage[] => messages.flatMap(chatOf);

const chatOf = once(({ role, content }: Message): readonly ChatMessage[] =>
  role === 'assistant' ? fromAssistant(content) : fromUser(content),
);

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
  return [...results, ...userMessage(content.flatMap(allSeenIn), text)];
}

function userMessage(seen: readonly UserPart[], text: string): ChatMessage[] {
  if (seen.length > 0)
    return [{ role: 'user', content: [...seen, ...(text === '' ? [] : [{ type: 'text', text } as const])] }];
  return text === '' ? [] : [{ role: 'user', content: text }];
}

/** Also what stands in a result: results are text alone in this API, and their images follow them. */
const allSeenIn = (block: Block): UserPart[] =>
  Array.isArray(block.content) ? block.content.flatMap(seenIn) : seenIn(block);

/** An image or a document as the API has it. What is in it came from outside, and was looked into when it came. */
function seenIn({ type, source, title }: Block): UserPart[] {
  const { type: how, media_type, data } = (source ?? {}) as Readonly<Record<string, unknown>>;
  const name = String(title ?? 'document');
  if (type === 'document' && how === 'text') return [{ type: 'text', text: `${name}:\n${String(data)}` }];
  if (how !== 'base64') return [];
  const url = `data:${String(media_type)};base64,${String(data)}`;
  if (type === 'image') return [{ type: 'image_url', image_url: { url } }];
  return type === 'document' ? [{ type: 'file', file: { filename: name, file_data: url } }] : [];
}

/**
 * History for a model without tools of its own: calls and results are text in the form that the model was taught
 * (H12). Of the same messages the same objects are made.
 */
export const toXmlMessages = (messages: readonly Message[]): ChatMessage[] =>
  messages.flatMap((message, at) => xmlAfter(messages[at - 1] ?? nothing)(message));

const nothing: Message = { role: 'assistant', content: [] };

/** A message, by the one before it: that has the calls whose results these are. */
const xmlAfter = once(({ content: before }: Message) => {
  const names = new Map(
    before.flatMap(({ type, id, name }) =>
      type === 'tool_use' ? [[String(id), String(name)] as const] : [],
    ),
  );
  return once(({ role, content }: Message): readonly ChatMessage[] => {
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

/** A document says what somebody else has written: no result of a call can begin in it. */
const withoutTags = (part: UserPart): UserPart =>
  part.type === 'text' ? { type: 'text', text: withoutResultTags(part.text) } : part;

const textIn = (block: Block): string[] =>
  block.type === 'text' && typeof block.text === 'string' && block.text !== '' ? [block.text] : [];

/** A result's text; of results in blocks, what is text in them. */
function resultText({ content }: Block): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.flatMap((block: Block) => textIn(block)).join('\n') : '';
}
