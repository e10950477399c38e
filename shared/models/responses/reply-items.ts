import { isRecord } from '../../agent/plain/merge.ts';
import { givenOf } from '../../agent/session/given.ts';
import { isThinking } from '../../agent/session/reply.ts';
import type { Block } from '../../agent/session/slots.ts';
import type { InputItem, ReasoningItem } from './items.ts';
import { keptOf } from './kept.ts';

/**
 * A reply as items, in the order in which they came. Reasoning goes back with the ids of all items of its reply, or the
 * reply goes back without reasoning and without ids: a server that finds one item of a pair refuses it without the other
 * (vercel/ai#7099, continuedev/continue#11994).
 *
 * @param callIds of its calls, as they are sent
 */
export function fromReply(content: readonly Block[], callIds: readonly string[]): InputItem[] {
  const read = withoutTrailing(content);
  const withReasoning = read.some(isThinking) && read.every((_, at) => isBacked(read, at));
  const items: InputItem[] = [];
  let calls = 0;
  for (const block of read) {
    const item =
      block.type === 'tool_use'
        ? toCall(block, callIds[calls++] ?? String(block.id), withReasoning)
        : toItem(block, withReasoning);
    const joined = item && joinedWith(items.at(-1), item);
    if (joined) items[items.length - 1] = joined;
    else if (item) items.push(item);
  }
  return items;
}

/** The content without thinking that nothing follows. */
function withoutTrailing(content: readonly Block[]): readonly Block[] {
  const last = content.findLastIndex((block) => block.type !== 'thinking');
  return content.slice(0, last + 1);
}

/** Whether a block is no thinking, or is thinking that its server can read, followed by the item that it belongs to. */
function isBacked(content: readonly Block[], at: number): boolean {
  const block = content[at];
  if (!block || !isThinking(block)) return true;
  const { before, item } = keptOf(block);
  if (block.type !== 'thinking') return item !== undefined;
  const next = content[at + 1];
  return toReasoning(block) !== undefined && (before === undefined || (next && idOf(next)) === before);
}

const idOf = (block: Block): unknown => {
  const { id, item } = keptOf(block);
  return item?.id ?? id;
};

function toItem(block: Block, withReasoning: boolean): InputItem | undefined {
  switch (block.type) {
    case 'text':
      return toMessage(block, withReasoning);
    case 'thinking':
      return withReasoning ? toReasoning(block) : undefined;
    case 'redacted_thinking':
      return withReasoning ? keptOf(block).item : undefined;
    default:
      return undefined;
  }
}

/**
 * Reasoning as its server takes it back: its encrypted form, beside which OpenAI takes no plain text
 * (microsoft/agent-framework-go#783), or its text, for servers that encrypt nothing (rikkahub/rikkahub#1690). `summary` is
 * required even if it is empty (newo-ether/Agora#141), and `status` is refused (1jehuang/jcode#1028). Undefined if there is
 * neither form: the server does not store the item.
 */
function toReasoning(block: Block): ReasoningItem | undefined {
  const { id } = keptOf(block);
  const text = typeof block.thinking === 'string' ? block.thinking : '';
  const head = { type: 'reasoning', ...(id !== undefined && { id }) } as const;
  if (typeof block.signature === 'string' && block.signature !== '') {
    const summary = text === '' ? [] : [{ type: 'summary_text', text } as const];
    return { ...head, summary, encrypted_content: block.signature };
  }
  if (givenOf(block).as !== 'content' || text === '') return undefined;
  return { ...head, summary: [], content: [{ type: 'reasoning_text', text }] };
}

function toMessage(block: Block, withId: boolean): InputItem | undefined {
  const text = typeof block.text === 'string' ? block.text : '';
  if (text === '') return undefined;
  const { id, phase } = keptOf(block);
  const also = phase === undefined ? {} : { phase };
  if (!withId || id === undefined) return { role: 'assistant', content: text, ...also };
  const content = [{ type: 'output_text', text, annotations: [] }] as const;
  return { type: 'message', role: 'assistant', id, status: 'completed', content, ...also };
}

function toCall(block: Block, callId: string, withId: boolean): InputItem {
  const { call } = givenOf(block);
  const { id, ...more } = isRecord(call) ? call : {};
  return {
    ...more,
    ...(withId && typeof id === 'string' && { id }),
    type: 'function_call',
    call_id: callId,
    name: String(block.name),
    arguments: JSON.stringify(block.input ?? {}),
  };
}

/** Two texts of one reply as one message, if neither has an id or a phase. */
function joinedWith(before: InputItem | undefined, after: InputItem): InputItem | undefined {
  const [first, second] = [before && plainOf(before), plainOf(after)];
  return first === undefined || second === undefined
    ? undefined
    : { role: 'assistant', content: first + second };
}

const plainOf = (item: InputItem): string | undefined =>
  'role' in item && item.role === 'assistant' && !('phase' in item) && typeof item.content === 'string'
    ? item.content
    : undefined;
