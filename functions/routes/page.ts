import { messagesOf } from '../../shared/agent/events/snapshot.ts';
import { defined } from '../../shared/agent/plain/defined.ts';
import type { Slot } from '../../shared/agent/session/slots.ts';
import type { SnapshotMessage } from '../../shared/contract/events.ts';
import type { MessagesCursor } from '../../shared/contract/http.ts';

/**
 * Bytes after which a page of an answer ends. A function's answer may have 6 MB, including escaping, and one item that is larger
 * than the page is a page of its own.
 */
export const PAGE_BYTES = 2_500_000;

/** Bytes of a value in a function's answer: the body is JSON, and stands in the answer as a JSON string. */
export const answerBytes = (value: unknown): number =>
  Buffer.byteLength(JSON.stringify(JSON.stringify(value)));

/** How many of the items fit on a page; at least one, if there is one. */
export function fitting(items: readonly unknown[], room = PAGE_BYTES): number {
  let left = room;
  const over = items.findIndex((item, i) => {
    left -= answerBytes(item);
    return left < 0 && i > 0;
  });
  return over === -1 ? items.length : over;
}

/** Most bytes of a message that fit into an answer, whatever surrounds it. */
const MAX_MESSAGE_BYTES = 5_500_000;
/** Characters that are kept of a message that fits no answer. Escaped twice, a character has at most seven bytes. */
const CUT_CHARS = 500_000;

/** A message, unchanged or cut and marked. A model may reply more than 6 MB, which would otherwise end the reading for good. */
function deliverable(message: SnapshotMessage): SnapshotMessage {
  // The definition bounds a summary far below that.
  if (message.role === 'activity') return message;
  const { content = '' } = message;
  // Escaping makes fewer than ten bytes of a character.
  const isSmall = content.length < MAX_MESSAGE_BYTES / 10 && !('toolCalls' in message);
  if (isSmall || answerBytes(message) <= MAX_MESSAGE_BYTES) return message;
  const mark = `… [cut: the whole has ${content.length} characters]`;
  const cut = content.length > CUT_CHARS ? content.slice(0, CUT_CHARS).toWellFormed() + mark : content;
  if (message.role !== 'assistant') return { ...message, content: cut };
  const toolCalls = message.toolCalls?.map((call) => {
    const { name, arguments: text } = call.function;
    const left = JSON.stringify({ cut: `the arguments have ${text.length} characters` });
    return { ...call, function: { name, arguments: text.length > 10_000 ? left : text } };
  });
  return { ...message, ...(cut && { content: cut }), ...defined({ toolCalls }) };
}

/** Messages of one answer, and the cursor of the next page if there is more. */
export interface MessagesPage {
  readonly messages: readonly SnapshotMessage[];
  readonly next?: MessagesCursor;
}

/**
 * The messages of these slots from the cursor on, as far as they fit. A batch of many large results takes several pages.
 *
 * @param version number of slots that the session has; slots missing here are on later pages
 */
export function pageOf(
  slots: readonly Slot[],
  { slot: from, skip }: MessagesCursor,
  version: number,
): MessagesPage {
  const places = slots.flatMap((slot) =>
    messagesOf(slot).map((message, i) => ({ message: deliverable(message), at: { slot: slot.n, skip: i } })),
  );
  const wanted = places.filter(({ at }) => at.slot > from || at.skip >= skip);
  const count = fitting(wanted.map(({ message }) => message));
  const messages = wanted.slice(0, count).map(({ message }) => message);
  const cut = wanted[count]?.at;
  const after = (slots.at(-1)?.n ?? from) + 1;
  const next = cut ?? (after < version ? { slot: after, skip: 0 } : undefined);
  return { messages, ...defined({ next }) };
}
