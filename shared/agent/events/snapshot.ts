import type { AgUiEvent, Folded, SnapshotMessage } from '../../contract/events.ts';
import { foldMessage } from '../../contract/folds.ts';
import type { AttachmentInfo } from '../../contract/message.ts';
import type { Attachment } from '../session/attachments.ts';
import { callingOf } from '../session/made.ts';
import { callsOf, textOf } from '../session/reply.ts';
import { type FoldSlot, type InputTurn, isFold, type Slot } from '../session/slots.ts';
import { texts } from '../texts.ts';

/**
 * The conversation as people see it: without internal texts and thinking, and with every result beside its call.
 *
 * @param input turns that are on their way into the next slot
 */
export function toSnapshot(slots: readonly Slot[], input: readonly InputTurn[] = []): SnapshotMessage[] {
  return [...slots.flatMap(messagesOf), ...userMessages(input)];
}

/** The id under which a user's message is shown. */
export const userMessageId = (eventId: string): string => `user-${eventId}`;
/** The id under which a call's result is shown. */
export const resultMessageId = (callId: string): string => `result-${callId}`;

/** The messages of one slot that people see. */
export function messagesOf(slot: Slot): SnapshotMessage[] {
  if (slot.kind === 'tools') {
    return slot.results.map(({ callId, content, attachments }) => ({
      id: resultMessageId(callId),
      role: 'tool',
      toolCallId: callId,
      content,
      ...attached(attachments),
    }));
  }
  if (isFold(slot)) return [foldMessage(toFolded(slot))];
  const { input, made } = slot;
  const reply = callingOf(slot);
  if (!reply || reply.content.length === 0) return userMessages(input);
  const content = textOf(reply.content);
  const toolCalls = callsOf(reply).map((call) => ({
    id: call.id,
    type: 'function' as const,
    function: { name: call.name, arguments: JSON.stringify(call.input) },
  }));
  return [
    ...userMessages(input),
    {
      id: reply.messageId,
      role: 'assistant',
      ...(content && { content }),
      ...(toolCalls.length > 0 && { toolCalls }),
      ...(made && { made: made.by }),
    },
  ];
}

/** The event that tells people about a fold. */
export function toFolded({ n, fold: { why, tokens, left, summary } }: FoldSlot): Folded {
  return {
    ...{ slot: n, why, tokens, left, costUsd: summary?.costUsd ?? 0 },
    ...(summary && { model: summary.model, summary: summary.text }),
  };
}

const userMessages = (input: readonly InputTurn[]): SnapshotMessage[] =>
  input.flatMap(({ text, eventId, attachments, internal }) =>
    eventId && !internal
      ? [
          {
            id: userMessageId(eventId),
            role: 'user',
            content: shownText(text, attachments),
            ...attached(attachments),
          },
        ]
      : [],
  );

/** A message's text for clients that show only text: if it has none, a line for each attachment. */
export const shownText = (text: string, attachments: InputTurn['attachments']): string =>
  text === '' ? (attachments ?? []).map(texts.attached).join('\n') : text;

const attached = (attachments: InputTurn['attachments']): { attachments?: AttachmentInfo[] } =>
  attachments ? { attachments: attachments.map(toInfo) } : {};

/** An attachment as people see it. */
export const toInfo = ({ unpacked, pages: _, ...info }: Attachment): AttachmentInfo => ({
  ...info,
  ...(unpacked && { files: unpacked.files }),
});

/** The attachments of a message, told right after it. */
export const attachedTo = (messageId: string, attachments: readonly Attachment[]): AgUiEvent => ({
  ...{ type: 'CUSTOM', name: 'steploop.attached' },
  value: { messageId, attachments: attachments.map(toInfo) },
});
