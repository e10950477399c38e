/** Invariant 21: what clients see. */

import { toSnapshot } from '../../../shared/agent/events/snapshot.ts';
import type { AgUiEvent } from '../../../shared/contract/events.ts';
import type { View } from '../../../web/client/view.ts';
import type { Checks, SessionFacts } from '../ledger.ts';
import { foreignMarks } from './prompts.ts';

/** An event that a client was shown, and what it shows after it. */
export interface Shown {
  readonly name: string;
  /**
   * Whether it has missed nothing. A client that gave up on a gap shows text with a hole until it gets a new snapshot.
   */
  readonly whole: boolean;
  readonly event: AgUiEvent;
  readonly view: View;
  readonly spoken: ReadonlyMap<string, string>;
  readonly facts: SessionFacts;
}

/** A frame as it reached a client, before the client processes it. */
export interface Heard {
  readonly name: string;
  readonly event: AgUiEvent;
  readonly seq: number;
  readonly facts: SessionFacts;
}

export const frameChecks: Checks<Heard> = {
  // This lets a successor close it, even for a client that does not know of dead attempts.
  '21 an event that opens something is in the log, or committed, before it is shown': ({
    name,
    event,
    seq,
    facts,
  }) =>
    opens(event) && !facts.log.has(seq) && !facts.committedFrames.has(seq)
      ? `${name} is shown ${event.type} (frame ${seq}), and neither the log nor a commit has got it`
      : undefined,
};

export const viewChecks: Checks<Shown> = {
  '21 text is shown once and in order': ({ name, whole: missedNothing, event, view, spoken, facts }) => {
    if (!missedNothing || event.type !== 'TEXT_MESSAGE_CONTENT') return undefined;
    const { messageId } = event;
    const item = view.items.find(({ kind, id }) => kind === 'message' && id === messageId);
    const text = item?.kind === 'message' ? item.text : '';
    const whole = messageId.startsWith('user-')
      ? facts.events.get(messageId.slice(5))?.text
      : spoken.get(`${facts.pk}#${messageId}`);
    return whole?.startsWith(text)
      ? undefined
      : `${name} reads "${text}" in ${messageId}; said was "${whole}"`;
  },

  '23 a client sees its own tenant only': ({ event, facts }) =>
    event.type === 'TEXT_MESSAGE_CONTENT' ? foreignMarks(facts, event.delta) : undefined,
};

/** For one reader: whether the result of a call is repeated, although no attempt has died in between. */
export function createResultCheck(): (event: AgUiEvent) => string | undefined {
  const told = new Set<string>();
  return (event) => {
    if (event.type === 'CUSTOM' && event.name === 'steploop.recovered') told.clear();
    if (event.type !== 'TOOL_CALL_RESULT') return undefined;
    const wrong = told.has(event.toolCallId) ? `that of ${event.toolCallId} twice` : undefined;
    told.add(event.toolCallId);
    return wrong;
  };
}

/** Whether the event opens something that another one must close. */
export const opens = ({ type }: AgUiEvent): boolean => type.endsWith('_STARTED') || type.endsWith('_START');

/** A client's display, line by line, without what is not in the transcript (thoughts). */
export const linesOf = ({ items }: View): string[] =>
  items.flatMap((item) => {
    if (item.kind === 'call') return [`call ${item.id} ${item.args} → ${item.result}`];
    if (item.kind === 'fold') return [item.id];
    if (item.role === 'reasoning') return [];
    return [`${item.role} ${item.id} ${item.open ? '(open) ' : ''}${item.text}`];
  });

/** The display that a client must have when everything is committed, written from the slots. */
export function linesOfSlots(slots: readonly string[]): string[] {
  const messages = toSnapshot(slots.map((slot) => JSON.parse(slot)));
  const results = new Map(messages.flatMap((m) => (m.role === 'tool' ? [[m.toolCallId, m.content]] : [])));
  return messages.flatMap((message) => {
    if (message.role === 'tool') return [];
    if (message.role === 'activity') return [message.id];
    const text = message.content ? [`${message.role} ${message.id} ${message.content}`] : [];
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    return [
      ...text,
      ...calls.map((call) => `call ${call.id} ${call.function.arguments} → ${results.get(call.id)}`),
    ];
  });
}
