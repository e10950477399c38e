import { defined } from '../plain/defined.ts';
import type { Attachment } from '../session/attachments.ts';
import { noUsage } from '../session/session.ts';
import type { Block, InputTurn, ModelSlot, Slot, StoredReply, ToolResult } from '../session/slots.ts';
import { historyTexts } from '../texts/history.ts';
import { shown } from './checks.ts';
import { type Call, HistoryFault, type Media, type ResultsTurn, type Turn, type UserTurn } from './turns.ts';

/** Input for the slots of an import, besides its turns. */
export interface Making {
  /** The id of the whole import: equal imports make equal slots. */
  readonly importId: string;
  /** The stored attachment of these bytes. */
  readonly attachmentOf: (media: Media) => Attachment;
}

/** A reply whose calls may still be answered. */
interface Open {
  readonly replyTo: string;
  /** By the id that the conversation has for it. */
  readonly calls: ReadonlyMap<string, Call>;
  readonly results: Map<string, ToolResult>;
}

/** Ids that model servers accept. */
const ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The transcript of a conversation from another system, as it would be stored here: each reply beside what it answers, and each
 * call with one result, in order, even if the conversation has none for it. A pure function of its turns. Throws
 * {@link HistoryFault} for a result without a call, or a duplicate call.
 */
export function toSlots(turns: readonly Turn[], { importId, attachmentOf }: Making): Slot[] {
  const slots: Slot[] = [];
  const callIds = new Set<string>();
  let input: InputTurn[] = [];
  let said = 0;
  let replies = 0;
  let open: Open | undefined;

  const close = () => {
    if (!open) return;
    const { replyTo, calls, results } = open;
    slots.push({
      ...{ kind: 'tools', n: slots.length, runId: importId, replyTo, verdicts: [] },
      results: [...calls].map(([id, call]) => results.get(id) ?? notRun(call)),
    });
    open = undefined;
  };
  const ask = (reply?: StoredReply) => {
    const opening = slots.length === 0 && input.length === 0 ? [opened] : input;
    slots.push({
      ...{ kind: 'model', n: slots.length, runId: importId, step: Math.max(1, replies), verdicts: [] },
      input: opening,
      ...defined({ reply }),
    });
    input = [];
  };

  for (const turn of turns) {
    if (turn.kind === 'results') {
      take(turn, open, attachmentOf);
      continue;
    }
    close();
    if (turn.kind === 'user') {
      const next = inputOf(turn, `${importId}-${said + 1}`, attachmentOf);
      if (!next) continue;
      said++;
      input.push(next);
      continue;
    }
    const calls = withOwnIds(turn.calls, turn.at, callIds);
    const content = contentOf(turn.texts, [...calls.values()]);
    if (content.length === 0) continue;
    const last = slots.at(-1);
    // Two replies in a row would be two messages of the assistant, which strict servers refuse.
    if (input.length === 0 && last?.kind === 'model' && last.reply) {
      const replyTo = last.reply.messageId;
      slots[last.n] = joinedWith(last, last.reply, content);
      if (calls.size > 0) open = { replyTo, calls, results: new Map() };
      continue;
    }
    replies++;
    const messageId = `${importId}-r${replies}`;
    ask({
      ...{ messageId, model: turn.model ?? 'imported', imported: true, content },
      ...{ stop: calls.size > 0 ? 'tool_use' : 'end_turn', usage: noUsage, costUsd: 0 },
    });
    if (calls.size > 0) open = { replyTo: messageId, calls, results: new Map() };
  }
  close();
  if (input.length > 0) ask();
  return slots;
}

/** Strict servers require a conversation to begin with the user. */
const opened: InputTurn = { text: historyTexts.opening, internal: { reason: 'import' } };

function joinedWith(slot: ModelSlot, reply: StoredReply, content: readonly Block[]): ModelSlot {
  const [first, ...more] = content;
  const spaced = first?.type === 'text' ? [{ ...first, text: `\n\n${first.text}` }, ...more] : content;
  const stop = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : reply.stop;
  return { ...slot, reply: { ...reply, stop, content: [...reply.content, ...spaced] } };
}

/** Servers refuse empty text. */
const isSaid = (text: string): boolean => text.trim() !== '';

function inputOf(
  { parts }: UserTurn,
  eventId: string,
  attachmentOf: Making['attachmentOf'],
): InputTurn | undefined {
  const text = parts
    .flatMap((part) => ('text' in part && isSaid(part.text) ? [part.text.toWellFormed()] : []))
    .join('\n\n');
  const attachments = parts.flatMap((part) => ('media' in part ? [attachmentOf(part.media)] : []));
  if (text === '' && attachments.length === 0) return undefined;
  return { text, eventId, ...(attachments.length > 0 && { attachments }) };
}

const contentOf = (said: readonly string[], calls: readonly Call[]): Block[] => [
  ...said.filter(isSaid).map((text) => ({ type: 'text', text: text.toWellFormed() })),
  ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
];

/**
 * The calls of a reply under ids that servers accept and that no other call of the conversation has: some servers restart their
 * ids with each reply. A valid id stays.
 */
function withOwnIds(calls: readonly Call[], at: number, taken: Set<string>): Map<string, Call> {
  const own = new Map<string, Call>();
  for (const call of calls) {
    if (own.has(call.id))
      throw new HistoryFault(at, `two calls have the id ${shown(call.id)}. Give each call its own id.`);
    const base = ID.test(call.id) ? call.id : call.id.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 50);
    let id = base;
    for (let n = 2; taken.has(id); n++) id = `${base.slice(0, 56)}_${n}`;
    taken.add(id);
    own.set(call.id, { ...call, id });
  }
  return own;
}

function take(
  { at, results }: ResultsTurn,
  open: Open | undefined,
  attachmentOf: Making['attachmentOf'],
): void {
  for (const { callId, text, json, failed, media = [] } of results) {
    const call = open?.calls.get(callId);
    if (!open || !call)
      throw new HistoryFault(at, `the reply before this result has no call ${shown(callId)}.`);
    if (open.results.has(callId))
      throw new HistoryFault(at, `the call ${shown(callId)} has a second result. Send one for each call.`);
    open.results.set(callId, {
      ...{ callId: call.id, name: call.name, outcome: failed ? 'error' : 'ok', durationMs: 0 },
      content: text.toWellFormed(),
      ...defined({ json }),
      ...(media.length > 0 && { attachments: media.map(attachmentOf) }),
    });
  }
}

const notRun = ({ id, name }: Call): ToolResult => ({
  ...{ callId: id, name, outcome: 'error', content: historyTexts.notRun, durationMs: 0 },
});
