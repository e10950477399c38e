import type { Message } from '../../agent/ports/provider.ts';
import { givenOf } from '../../agent/session/given.ts';
import type { Block } from '../../agent/session/slots.ts';
import { byIds } from '../openai/by-ids.ts';
import { isCurrent } from './generation.ts';
import { mediaIn } from './media.ts';
import { fromReply } from './reply-parts.ts';
import { responseOf } from './results.ts';
import type { WireContent, WirePart } from './wire.ts';

/**
 * History in the form of Gemini's API. The results of calls are a content of their own, because the API counts the parts
 * of the content that follows the calls (google-gemini/gemini-cli#16137); the rest of the user's message comes after it.
 * It is a pure function of the history, so that a request repeats the one before it byte for byte. The same message with
 * the same calls gives the same objects.
 */
export function toContents(messages: readonly Message[], model: string): readonly WireContent[] {
  const callsOf = callNames();
  const convert = isCurrent(model) ? sinceThree : beforeThree;
  return inOrder(messages.flatMap((message) => convert(message, callsOf(message))));
}

/**
 * Returns the names of the functions whose results a message has, each with the id that the model gave its call: ask once
 * for each message, in order. Only an id of the model's own goes back, with the call and with the result: a server refuses
 * a pair of which only one has it (router-for-me/CLIProxyAPI#5199), and older servers know no ids.
 */
function callNames(): (message: Message) => readonly string[] {
  const calls = new Map<unknown, string>();
  return ({ content }) => {
    for (const block of content)
      if (block.type === 'tool_use')
        calls.set(block.id, JSON.stringify([String(block.name), givenOf(block).id ?? '']));
    return content.flatMap(({ type, tool_use_id: id }) =>
      type === 'tool_result' ? [calls.get(id) ?? JSON.stringify(['unknown', ''])] : [],
    );
  };
}

const converter = (isCurrentModel: boolean) =>
  byIds(({ role, content }: Message, calls): WireContent[] => {
    if (role === 'assistant') return contentOf('model', fromReply(content, isCurrentModel));
    return fromUser(content, calls, isCurrentModel);
  });

const sinceThree = converter(true);
const beforeThree = converter(false);

function fromUser(
  content: readonly Block[],
  calls: readonly string[],
  isCurrentModel: boolean,
): WireContent[] {
  const results: WirePart[] = [];
  const rest: WirePart[] = [];
  for (const block of content) {
    if (block.type === 'tool_result') {
      const [name = '', id = ''] = JSON.parse(calls[results.length] ?? '[]') as string[];
      const { response, after } = responseOf(block, { name, id, nests: isCurrentModel });
      results.push({ functionResponse: response });
      rest.push(...after);
    } else if (block.type === 'text') rest.push(...textOf(block));
    else rest.push(...mediaIn(block));
  }
  return [...contentOf('user', results), ...contentOf('user', rest)];
}

/** A part without data is refused (router-for-me/CLIProxyAPI#1293), and so is a content without parts (vercel/ai#3775). */
const textOf = ({ text }: Block): WirePart[] =>
  typeof text === 'string' && text.trim() !== '' ? [{ text }] : [];

const contentOf = (role: WireContent['role'], parts: readonly WirePart[]): WireContent[] =>
  parts.length > 0 ? [{ role, parts }] : [];

/** The API answers a user: the first content and the last one are the user's (crewAIInc/crewAI#6973). */
const GO_ON: WireContent = { role: 'user', parts: [{ text: 'Go on.' }] };

/** Contents begin and end with the user. A call stands right after a user's content, so replies in a row are joined. */
function inOrder(contents: readonly WireContent[]): readonly WireContent[] {
  const ordered: WireContent[] = contents[0]?.role === 'user' ? [] : [GO_ON];
  for (const content of contents) {
    const before = ordered.at(-1);
    if (before?.role === 'model' && content.role === 'model')
      ordered[ordered.length - 1] = { ...before, parts: [...before.parts, ...content.parts] };
    else ordered.push(content);
  }
  return ordered.at(-1)?.role === 'user' ? ordered : [...ordered, GO_ON];
}
