/** What an AG-UI client says, and what it means for a session. Validation is in `ag-ui-input.ts`. */

import type { AgUiEvent, SnapshotMessage } from './events.ts';

/** An answer to one interrupt, as AG-UI has it. */
export interface ResumeEntry {
  readonly interruptId: string;
  readonly status: 'resolved' | 'cancelled';
  /** Our own: `false` or `{ approved: false }` denies; a text, or `{ note }`, is what a person answered, or why not. */
  readonly payload?: unknown;
}

/** The body of `POST /sessions/{sessionId}/decisions`. */
export interface Decision {
  readonly id: string;
  readonly approved: boolean;
  /** The answer to a question, or what the model is told about a refusal. */
  readonly note?: string;
}

/** A cancelled interrupt is a denial, and so is a resolved one that says so. */
export function toDecision({ interruptId: id, status, payload }: ResumeEntry): Decision {
  if (status === 'cancelled') return { id, approved: false };
  if (typeof payload === 'string') return { id, approved: true, note: payload };
  const { approved, note, answer } = (
    typeof payload === 'object' && payload !== null ? payload : { approved: payload }
  ) as { approved?: unknown; note?: unknown; answer?: unknown };
  const said = note ?? answer;
  return { id, approved: approved !== false, ...(typeof said === 'string' && { note: said }) };
}

/**
 * The events for a client that knows some user messages by ids of its own: it is not told again what it has said, and
 * snapshots have its ids.
 *
 * @param own the client's id of a message by the server's
 */
export function forOwner(own: ReadonlyMap<string, string>): (event: AgUiEvent) => AgUiEvent[] {
  const renamed = (message: SnapshotMessage): SnapshotMessage => {
    const id = own.get(message.id);
    return id === undefined ? message : { ...message, id };
  };
  return (event) => {
    switch (event.type) {
      case 'TEXT_MESSAGE_START':
      case 'TEXT_MESSAGE_CONTENT':
      case 'TEXT_MESSAGE_END':
        return own.has(event.messageId) ? [] : [event];
      case 'MESSAGES_SNAPSHOT':
        return [{ ...event, messages: event.messages.map(renamed) }];
      default:
        return [event];
    }
  };
}

/** The text of a message's content; undefined when it has parts that are not text. */
export function textOfContent(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part: { type?: unknown; text?: unknown } | null) =>
    part?.type === 'text' && typeof part.text === 'string' ? part.text : undefined,
  );
  return texts.includes(undefined) ? undefined : texts.join('\n');
}
