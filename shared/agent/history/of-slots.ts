import { contentAsRead, textOf } from '../session/reply.ts';
import type { InputTurn, ModelSlot, Slot, ToolResult } from '../session/slots.ts';
import { historyTexts } from '../texts/history.ts';
import { texts } from '../texts.ts';
import type { Call, Part, Result, Turn } from './turns.ts';

/**
 * The messages of people and the model in these slots, with the results of calls. Left out are internal texts, thinking, folds,
 * and system calls, which the model has not read either. A call without a result yet says so.
 */
export function turnsOf(slots: readonly Slot[]): Turn[] {
  return slots.flatMap((slot, i): Turn[] => {
    if (slot.kind === 'tools')
      return slot.made ? [] : [{ kind: 'results', at: slot.n, results: slot.results.map(resultOf) }];
    const reply = replyOf(slot);
    const asked = slot.fold ? [] : slot.input.flatMap((turn) => userTurns(turn, slot.n));
    if (!reply) return asked;
    const { calls } = reply;
    const next = slots[i + 1];
    if (calls.length === 0 || (next?.kind === 'tools' && !next.made)) return [...asked, reply];
    return [...asked, reply, { kind: 'results', at: slot.n, results: calls.map(openResult) }];
  });
}

/**
 * Whether, in every format, a message begins with this slot, whatever comes before it. Pages end only before such slots, so
 * that no message continues on the next page.
 */
export function beginsMessage(slot: Slot, before: Slot | undefined): boolean {
  if (slot.kind === 'tools') return false;
  const [first] = turnsOf([slot]);
  if (!first) return false;
  if (before?.kind === 'model') return replyOf(before) !== undefined && first.kind === 'user';
  return before !== undefined && !before.made && first.kind === 'reply';
}

function replyOf({ n, reply, made }: ModelSlot): (Turn & { kind: 'reply' }) | undefined {
  if (!reply || made) return undefined;
  const { messageId: id, model } = reply;
  const content = contentAsRead(reply);
  const text = textOf(content);
  const calls = content.flatMap((block): Call[] =>
    block.type === 'tool_use' ? [{ id: String(block.id), name: String(block.name), input: block.input }] : [],
  );
  if (text === '' && calls.length === 0) return undefined;
  return { kind: 'reply', at: n, id, model, texts: text === '' ? [] : [text], calls };
}

function userTurns({ text, attachments = [], internal, eventId }: InputTurn, at: number): Turn[] {
  if (internal) return [];
  const parts: Part[] = [
    ...attachments.map((sent) => ({ text: texts.attached(sent) })),
    ...(text === '' ? [] : [{ text }]),
  ];
  return parts.length > 0 ? [{ kind: 'user', at, ...(eventId && { id: `user-${eventId}` }), parts }] : [];
}

function resultOf({ callId, content, outcome, json, blob, attachments = [] }: ToolResult): Result {
  const sent = attachments.map(texts.attached);
  const text = [content, ...sent].join('\n');
  return {
    ...{ callId, text },
    ...(json && !blob && sent.length === 0 && { json }),
    ...(outcome !== 'ok' && { failed: true }),
  };
}

const openResult = ({ id }: Call): Result => ({ callId: id, text: historyTexts.open, failed: true });
