import type { Message } from '../../agent/ports/provider.ts';
import type { Block } from '../../agent/session/slots.ts';
import { byIds } from '../openai/by-ids.ts';
import { wireIds } from '../openai/wire-ids.ts';
import { unknownServer } from '../server-rules.ts';
import { contentOf, documentsIn, nameDocuments } from './content.ts';
import type { Content, WireBlock, WireMessage } from './wire.ts';

/**
 * History in the form of the Converse API: results first in the user's message, then the rest. It is a pure function of
 * the history, so that a request repeats the one before it byte for byte. The same message with the same names gives the
 * same objects.
 *
 * @param tellsErrors whether the model reads the `status` of a result
 */
export function toMessages(messages: readonly Message[], tellsErrors: boolean): readonly WireMessage[] {
  const idsOf = wireIds(unknownServer);
  const namesOf = nameDocuments();
  const convert = tellsErrors ? withStatus : withoutStatus;
  const converted = messages.flatMap((message) => {
    const ids = idsOf(message);
    return convert(message, [...ids, ...namesOf(message)]);
  });
  return inOrder(converted);
}

const converter = (tellsErrors: boolean) =>
  byIds(({ role, content }: Message, given): WireMessage[] => {
    const calls = content.filter(({ type }) => type === 'tool_use' || type === 'tool_result').length;
    const ids = given.slice(0, calls);
    const names = given.slice(calls);
    const blocks =
      role === 'assistant' ? fromReply(content, ids) : fromUser(content, { ids, names, tellsErrors });
    return blocks.length > 0 ? [{ role, content: blocks }] : [];
  });

const withStatus = converter(true);
const withoutStatus = converter(false);

function fromReply(content: readonly Block[], ids: readonly string[]): WireBlock[] {
  let calls = 0;
  return content.flatMap((block): WireBlock[] => {
    switch (block.type) {
      case 'text':
        return contentOf(block, []);
      case 'tool_use': {
        const toolUseId = ids[calls++] ?? String(block.id);
        return [{ toolUse: { toolUseId, name: String(block.name), input: block.input ?? {} } }];
      }
      case 'thinking': {
        const { thinking: text, signature } = block;
        // Models that sign nothing refuse reasoning in a request.
        if (typeof signature !== 'string' || signature === '') return [];
        return [{ reasoningContent: { reasoningText: { text: String(text ?? ''), signature } } }];
      }
      case 'redacted_thinking':
        return typeof block.data === 'string' ? [{ reasoningContent: { redactedContent: block.data } }] : [];
      default:
        return [];
    }
  });
}

interface Given {
  readonly ids: readonly string[];
  /** Names of the documents, in order. */
  readonly names: readonly string[];
  readonly tellsErrors: boolean;
}

function fromUser(content: readonly Block[], { ids, names, tellsErrors }: Given): WireBlock[] {
  const left = [...names];
  const results: WireBlock[] = [];
  const rest: Content[] = [];
  for (const block of content) {
    const here = left.splice(0, documentsIn(block).length);
    if (block.type === 'tool_result')
      results.push(resultOf(block, ids[results.length] ?? String(block.tool_use_id), here, tellsErrors));
    else rest.push(...contentOf(block, here));
  }
  const needsText = rest.some((one) => 'document' in one) && !rest.some((one) => 'text' in one);
  const all = [...results, ...rest, ...(needsText ? [ATTACHED] : [])];
  return all.length > 0 ? all : [NOTHING];
}

function resultOf(
  block: Block,
  toolUseId: string,
  names: readonly string[],
  tellsErrors: boolean,
): WireBlock {
  const given = typeof block.content === 'string' ? [{ type: 'text', text: block.content }] : block.content;
  const left = [...names];
  const parts = (Array.isArray(given) ? (given as readonly Block[]) : []).flatMap((part) =>
    contentOf(part, left.splice(0, documentsIn(part).length)),
  );
  const content = parts.length > 0 ? parts : [NOTHING];
  const isError = tellsErrors && block.is_error === true;
  return { toolResult: { toolUseId, content, ...(isError && { status: 'error' as const }) } };
}

/** Bedrock refuses blank text, white space included (NousResearch/hermes-agent#60628), and a message without content. */
const NOTHING = { text: '(empty)' } as const;
/** A message with a document needs text (API_runtime_ContentBlock of the reference). */
const ATTACHED = { text: 'See the attached document.' } as const;
/** Bedrock answers a user: the first and the last message are the user's (microsoft/semantic-kernel#10281). */
const GO_ON: WireMessage = { role: 'user', content: [{ text: 'Go on.' }] };

/** Roles alternate, and begin and end with the user. */
function inOrder(messages: readonly WireMessage[]): readonly WireMessage[] {
  const ordered: WireMessage[] = messages[0]?.role === 'assistant' ? [GO_ON] : [];
  for (const message of messages) {
    const before = ordered.at(-1);
    if (before?.role !== message.role) ordered.push(message);
    else ordered[ordered.length - 1] = { ...before, content: [...before.content, ...message.content] };
  }
  return ordered.at(-1)?.role === 'user' ? ordered : [...ordered, GO_ON];
}
