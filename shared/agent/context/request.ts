import { memoize } from '../plain/memoize.ts';
import type { Message } from '../ports/provider.ts';
import type { Block, InputTurn, Slot } from '../session/slots.ts';
import { texts } from '../texts.ts';
import { goOn, toMessages } from './messages.ts';
import { pausedIn } from './paused.ts';
import type { Reading } from './reading.ts';

/**
 * The messages of a request: the conversation, with an end that servers accept. They refuse a request that ends with a reply,
 * unless the reply is paused and they continue it.
 *
 * @param hasTools whether the request declares any
 */
export function requestMessages(
  slots: readonly Slot[],
  input: readonly InputTurn[],
  reading: Reading,
  hasTools: boolean,
): readonly Message[] {
  const messages = toMessages(slots, input, reading);
  const ends = messages.at(-1)?.role !== 'assistant' || pausedIn(slots, reading) !== undefined;
  const whole = ends ? messages : [...messages, goOn];
  return hasTools ? whole : withoutCalls(whole);
}

/**
 * Calls and their results as text, for a request that declares no tools: Bedrock and others refuse the blocks then ("must define
 * tools", BerriAI/litellm#5388). Both are told from the user's side, so that the model does not learn to write calls as text. An
 * import, or a fork, may bring calls into a session without tools. The same messages give the same objects.
 */
export const withoutCalls = (messages: readonly Message[]): readonly Message[] =>
  messages.flatMap((message, at) =>
    message.content.some(isOfCall) ? spokenAfter(messages[at - 1] ?? none)(message) : [message],
  );

const isOfCall = ({ type }: Block): boolean => type === 'tool_use' || type === 'tool_result';

const none: Message = { role: 'assistant', content: [] };

/** A message, by the one before it, which has the calls that these results belong to. */
const spokenAfter = memoize(({ content: before }: Message) => {
  const calls = new Map(
    before.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block] as const] : [])),
  );
  return memoize(({ role, content }: Message): readonly Message[] => {
    const spoken = content.flatMap((block): readonly Block[] => {
      if (block.type === 'tool_use') return [];
      return block.type === 'tool_result' ? told(calls.get(block.tool_use_id), block) : [block];
    });
    return spoken.length > 0 ? [{ role, content: spoken }] : [];
  });
});

function told(call: Block | undefined, { content }: Block): readonly Block[] {
  const came = Array.isArray(content)
    ? (content as readonly Block[])
    : [{ type: 'text', text: String(content) }];
  const [first, ...more] = came;
  const text = first?.type === 'text' ? String(first.text) : '';
  const said = texts.calledBefore(String(call?.name ?? 'a tool'), JSON.stringify(call?.input ?? {}), text);
  return [{ type: 'text', text: said }, ...(first && first.type !== 'text' ? [first] : []), ...more];
}
