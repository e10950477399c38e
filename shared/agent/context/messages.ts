import { isRecord } from '../plain/merge.ts';
import { once } from '../plain/once.ts';
import type { Message } from '../ports.ts';
import { givenOf, withoutGiven } from '../session/given.ts';
import { isThinking } from '../session/reply.ts';
import type { Session } from '../session/session.ts';
import type { Block, InputTurn, Slot, StoredReply, ToolResult, ToolsSlot } from '../session/slots.ts';
import { texts } from '../texts.ts';
import { cleared } from './clear.ts';
import { type Folded, foldAt, isCleared } from './folded.ts';
import { joined, type Part } from './joined.ts';
import { attachedBlocks, refusedBlocks } from './media.ts';

/** Who reads a conversation, and from where. */
export interface Reading {
  /** Which of the definition's fallbacks, from 1; 0 is its own model. */
  readonly fallback: number;
  /** Slot of the fold with which the context begins; absent while it is the whole conversation. */
  readonly fold?: number;
  /** Set for another model than has thought any of it: all thinking is left out. */
  readonly withoutThinking?: true;
}

/** How the model that a session's run asks reads it. */
export const readingOf = ({ run, fold }: Pick<Session, 'run' | 'fold'>): Reading => ({
  fallback: run?.fallback ?? 0,
  ...(fold && { fold: fold.slot }),
});

/**
 * The conversation as the model reads it. A pure function of what is stored, so that each request repeats
 * the one before it byte for byte and adds to its end (H1), until a fold begins a new prefix: then the head that the fold keeps
 * goes before everything, and what it has left out or cleared stays so until the next one.
 *
 * What the system has called itself is left out: a call that its model has not made is refused by servers that want its thinking. What came of a
 * plan it reads as text.
 *
 * Tool results come first in the user message that follows the calls, then text. Thinking is
 * bound to the model whose it is, and to what that has read: what others thought, and what was thought over another
 * context, is left out, so that each prefix stays the same bytes (T14).
 *
 * What is made of a slot is made once: of slots that are the same objects, the messages are too.
 */
export function toMessages(
  slots: readonly Slot[],
  input: readonly InputTurn[],
  reading: Reading = { fallback: 0 },
): Message[] {
  const fold = foldAt(slots, reading.fold);
  const messages: Message[] = [];
  let user: Part[] = [];
  const flush = () => {
    if (isSome(user)) messages.push(joined('user', user));
    user = [];
  };
  const add = (part: Part) => {
    if (part.length > 0) user.push(part);
  };

  add(textsOf(fold?.head ?? nothing));
  const read = fold?.slots ?? slots;
  const unseen = unseenIn(read);
  for (const slot of read) {
    if (slot.kind === 'tools') {
      if (slot.made === 'plan') add(planOf(slot));
      else if (slot.results.length > 0 && !slot.made)
        user.unshift(unseen.has(slot) ? unseenOf(slot) : resultsIn(fold, slot));
      continue;
    }
    const isPast = slot.n < (fold?.fold.clearedBelow ?? 0);
    const input = unseen.has(slot) ? unseenInput(slot.input) : slot.input;
    add(isPast ? pastTextsOf(input, user) : textsOf(input));
    const content = slot.reply ? readableIn(reading, slot.reply) : [];
    if (content.length === 0) continue;
    flush();
    messages.push(joined('assistant', [content]));
  }
  add(textsOf(input));
  flush();
  return messages;
}

const nothing: readonly InputTurn[] = [];

const isSome = (parts: readonly Part[]): parts is readonly [Part, ...Part[]] => parts.length > 0;

/**
 * A reply as a model reads it. Its own model reads all of it, and after a fold what is not bound to the context before. Any other model
 * reads what was said and called.
 */
function readableIn({ fallback, fold, withoutThinking }: Reading, reply: StoredReply): readonly Block[] {
  if ((reply.fallback ?? 0) !== fallback || withoutThinking) return spokenOf(reply.content);
  return reply.fold === fold ? reply.content : unboundOf(reply.content);
}

const spokenOf = once(
  (content: Part): Part => content.filter((block) => !isThinking(block)).map(withoutGiven),
);

/** Thinking that came in a field of a message has no signature, and some servers refuse a conversation without it. */
const unboundOf = once(
  (content: Part): Part => content.filter((block) => !isThinking(block) || givenOf(block).as !== undefined),
);

const textsOf = once((input: readonly InputTurn[]): Part => input.flatMap(blocksOf));

/** What was sent stands before what was said of it. */
function blocksOf({ text, attachments, unseen }: Said): Block[] {
  const said = { type: 'text', text };
  if (!attachments?.length) return [said];
  const sent = unseen ? refusedBlocks(attachments) : attachedBlocks(attachments);
  return text === '' ? sent : [...sent, said];
}
type Said = InputTurn & { readonly unseen?: true };

/** Slots of which the model reads no more than the names of what was sent: its server has refused a request with it. */
function unseenIn(slots: readonly Slot[]): ReadonlySet<Slot> {
  const unseen = new Set<Slot>();
  slots.forEach((slot, at) => {
    if (slot.kind === 'tools' || !slot.unseen) return;
    unseen.add(slot);
    for (let i = at - 1; i >= 0; i--) {
      const before = slots[i];
      if (!before || (before.kind === 'model' && before.reply)) break;
      unseen.add(before);
    }
  });
  return unseen;
}

const unseenInput = once((input: readonly InputTurn[]): readonly Said[] =>
  input.map((turn) => ({ ...turn, unseen: true })),
);
const unseenOf = once(
  ({ results }: ToolsSlot): Part => results.map((one) => toResultBlock(one, false, refusedBlocks)),
);

/**
 * What was told where results are cleared: advice of ours was for its moment, and goes first (A20). Where nothing else stands in
 * its message it stays, since two replies would meet there.
 */
function pastTextsOf(input: readonly InputTurn[], before: readonly Part[]): Part {
  const said = saidOf(input);
  return said.length > 0 || before.length > 0 ? said : textsOf(input);
}

const saidOf = once(
  (input: readonly InputTurn[]): Part => input.filter(({ internal }) => !internal).flatMap(blocksOf),
);

/** A batch's results: as they came, as what is cleared of them, or, where T5 leaves one of several whole, some so and some so. */
function resultsIn(fold: Folded | undefined, slot: ToolsSlot): Part {
  const isOld = (result: ToolResult) => isCleared(fold, slot, result);
  if (!slot.results.some(isOld)) return wholeOf(slot);
  if (slot.results.every(isOld)) return clearedOf(slot);
  return slot.results.map((result) => toResultBlock(result, isOld(result)));
}

/** What came of a plan, by the numbers of its changes. */
const planOf = once(
  ({ results, note }: ToolsSlot): Part => [
    {
      type: 'text',
      text: [
        '[steploop] The user was shown your plan. What came of its changes:',
        ...results.map(({ content }, i) => `${i + 1}. ${content}`),
        ...(note === undefined ? [] : [`The user says to it: ${note}`]),
      ].join('\n'),
    },
    ...results.flatMap(({ attachments = [] }) => attachedBlocks(attachments)),
  ],
);

const wholeOf = once(({ results }: ToolsSlot): Part => results.map((one) => toResultBlock(one, false)));
const clearedOf = once(({ results }: ToolsSlot): Part => results.map((one) => toResultBlock(one, true)));

function toResultBlock(result: ToolResult, isOld: boolean, shown = attachedBlocks): Block {
  const old = isOld ? (cleared(result) ?? (result.attachments && annotated(result))) : undefined;
  const content = old ?? withAttachments(result, shown);
  const block = { type: 'tool_result', tool_use_id: result.callId, content };
  return result.outcome === 'ok' ? block : { ...block, is_error: true };
}

function withAttachments(result: ToolResult, shown: typeof attachedBlocks): string | readonly Block[] {
  const text = annotated(result);
  return result.attachments ? [{ type: 'text', text }, ...shown(result.attachments)] : text;
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
