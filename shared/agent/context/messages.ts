import { isRecord } from '../plain/merge.ts';
import type { Message } from '../ports.ts';
import { isThinking } from '../session/reply.ts';
import type { Block, InputTurn, Slot, StoredReply, ToolResult } from '../session/slots.ts';
import { texts } from '../texts.ts';

/** Who reads a conversation, and from where. */
export interface Reading {
  /** Which of the definition's fallbacks, from 1; 0 is its own model. */
  readonly fallback: number;
  /** `Session.contextStart`. */
  readonly contextStart: number;
}

/**
 * The conversation as the model reads it. A pure function of what is stored, so that each request repeats
 * the one before it byte for byte and adds to its end (H1), until `contextStart` is moved: that begins a new prefix.
 *
 * Tool results come first in the user message that follows the calls, then text. Thinking is
 * bound to the model whose it is, and to what that has read: what others thought, and what was thought over a context that
 * began elsewhere, is left out, so that each prefix stays the same bytes (T14).
 */
export function toMessages(
  slots: readonly Slot[],
  input: readonly InputTurn[],
  reading: Reading = { fallback: 0, contextStart: 0 },
): Message[] {
  const messages: Message[] = [];
  let user: Block[] = [];
  const flush = () => {
    if (user.length > 0) messages.push({ role: 'user', content: user });
    user = [];
  };

  for (const slot of contextOf(slots, reading.contextStart)) {
    if (slot.kind === 'tools') {
      user = [...slot.results.map(toResultBlock), ...user];
      continue;
    }
    user.push(...slot.input.map(toTextBlock));
    const content = slot.reply ? readableIn(reading, slot.reply) : [];
    if (content.length === 0) continue;
    flush();
    messages.push({ role: 'assistant', content });
  }
  user.push(...input.map(toTextBlock));
  flush();
  return messages;
}

/**
 * The slots of a context: from the first one with which a request can begin, which is said on the user's side. So no result
 * stands there without its call.
 */
function contextOf(slots: readonly Slot[], contextStart: number): readonly Slot[] {
  if (contextStart === 0) return slots;
  const first = slots.findIndex(
    (slot) => slot.n >= contextStart && slot.kind === 'model' && slot.input.length > 0,
  );
  return first === -1 ? [] : slots.slice(first);
}

function readableIn({ fallback, contextStart }: Reading, reply: StoredReply): readonly Block[] {
  if ((reply.fallback ?? 0) === fallback && (reply.contextStart ?? 0) === contextStart) return reply.content;
  return reply.content.filter((block) => !isThinking(block));
}

const toTextBlock = (turn: InputTurn): Block => ({ type: 'text', text: turn.text });

function toResultBlock(result: ToolResult): Block {
  const block = { type: 'tool_result', tool_use_id: result.callId, content: annotated(result) };
  return result.outcome === 'ok' ? block : { ...block, is_error: true };
}

/**
 * A result with what a guard says on it: a field of an object, a line after a text, and around anything else a wrapper
 * (L4).
 */
function annotated({ content, json, blob, note }: ToolResult): string {
  if (!note) return content;
  const value: unknown = json && !blob ? JSON.parse(content) : content;
  if (typeof value === 'string') return content + texts.loopNote(note.message);
  return JSON.stringify(isRecord(value) ? { ...value, _loop_guard: note } : { value, _loop_guard: note });
}
