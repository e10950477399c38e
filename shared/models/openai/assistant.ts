import { isRecord } from '../../agent/plain/merge.ts';
import { givenOf } from '../../agent/session/given.ts';
import type { Block } from '../../agent/session/slots.ts';
import type { ServerRules } from '../dialects.ts';
import type { ChatCall, ChatMessage } from './chat.ts';

/**
 * A reply in the form of the Chat Completions API: its calls in a field, and the fields that its own server sent, if
 * the server wants them back.
 *
 * @param ids of its calls, as they are sent
 */
export function fromAssistant(
  content: readonly Block[],
  ids: readonly string[],
  rules: ServerRules,
): ChatMessage[] {
  const text = content.flatMap((block) => (isText(block) ? [String(block.text)] : [])).join('');
  const calls = content
    .filter(({ type }) => type === 'tool_use')
    .map((block, at) => toCall(block, ids[at] ?? String(block.id), at === 0, rules));
  const parts = partsOf(content, rules);
  if (text === '' && calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: parts ?? (text || (calls.length > 0 ? rules.noContent : text)),
      ...fieldsOf(content, calls.length > 0, rules),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

const isText = ({ type, text }: Block): boolean => type === 'text' && typeof text === 'string' && text !== '';

function toCall(block: Block, id: string, isFirst: boolean, rules: ServerRules): ChatCall {
  const { call = {}, function: said = {} } = rules.extras ? givenOf(block) : {};
  return {
    ...(rules.thoughtSignatures && isFirst ? signed(call) : call),
    id,
    type: 'function',
    function: { ...said, name: String(block.name), arguments: JSON.stringify(block.input ?? {}) },
  };
}

/**
 * The stand-in that Gemini takes for a signature, for calls that it has not made itself
 * (ai.google.dev/gemini-api/docs/thought-signatures).
 */
const NO_SIGNATURE = 'skip_thought_signature_validator';

/** Only the first of several parallel calls has a signature. */
function signed(call: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const extra = isRecord(call.extra_content) ? call.extra_content : {};
  const google = isRecord(extra.google) ? extra.google : {};
  if (google.thought_signature) return call;
  return { ...call, extra_content: { ...extra, google: { ...google, thought_signature: NO_SIGNATURE } } };
}

/** The content as parts, if the thinking came as one of them: Mistral sends it so, and takes it back. */
function partsOf(content: readonly Block[], { reasoning }: ServerRules): readonly object[] | undefined {
  const isPart = (block: Block) => block.type === 'thinking' && givenOf(block).as === 'parts';
  if (reasoning === 'left_out' || !content.some(isPart)) return undefined;
  return content.flatMap((block): object[] => {
    if (isText(block)) return [{ type: 'text', text: block.text }];
    return isPart(block) ? [{ type: 'thinking', thinking: [{ type: 'text', text: block.thinking }] }] : [];
  });
}

/**
 * Stands in for reasoning if a server requires it and another model wrote the message. Not blank: Kimi treats blank as
 * missing.
 */
const NO_REASONING = '(not recorded)';

/** Fields of the message beside its text and calls: its server's own, and the model's thinking. */
function fieldsOf(content: readonly Block[], hasCalls: boolean, rules: ServerRules): object {
  const { message = {} } = rules.extras && content[0] ? givenOf(content[0]) : {};
  const thinking = content.filter(({ type }) => type === 'thinking');
  const thought = thinking.map((block) => String(block.thinking ?? '')).join('');
  switch (rules.reasoning) {
    case 'left_out':
      return message;
    case 'needed':
      return { ...message, reasoning_content: thought.trim() === '' ? NO_REASONING : thought };
    case 'given': {
      const as = thinking.map((block) => givenOf(block).as).find((field) => field !== undefined);
      // The same in another form: OpenRouter wants only one of the two.
      const isTold = 'reasoning_details' in message;
      return as && as !== 'parts' && hasCalls && !isTold ? { ...message, [as]: thought } : message;
    }
    default:
      return rules.reasoning satisfies never;
  }
}
