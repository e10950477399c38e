/** What an AG-UI client says, and what it means for a session. Validation is in `ag-ui-input.ts`. */

import type { AgUiEvent, DecidedBefore, SnapshotMessage } from './events.ts';

/** An answer to one interrupt, as AG-UI has it. */
export interface ResumeEntry {
  readonly interruptId: string;
  readonly status: 'resolved' | 'cancelled';
  /** Our own: `false` or `{ approved: false }` denies; of a plan `{ approved: [1, 3] }` approves these changes; a text, or `{ note }`, is what a person answered, or why not; `{ grant }`: docs/leave.md. */
  readonly payload?: unknown;
}

/** The body of `POST /sessions/{sessionId}/decisions`. */
export interface Decision {
  readonly id: string;
  /** Of a plan also the numbers of the changes that are approved, from 1. */
  readonly approved: boolean | readonly number[];
  /** The answer to a question, or what the model is told about a refusal. */
  readonly note?: string;
  /** Of an approval: what is allowed beyond this call. */
  readonly grant?: {
    readonly scope: 'run' | 'session';
    readonly alike: 'call' | 'tool';
    readonly uses?: number | undefined;
    readonly seconds?: number | undefined;
  };
}

/** A cancelled interrupt is a denial, and so is a resolved one that says so. */
export function toDecision({ interruptId: id, status, payload }: ResumeEntry): Decision {
  if (status === 'cancelled') return { id, approved: false };
  if (typeof payload === 'string') return { id, approved: true, note: payload };
  const { approved, note, answer, grant } = (
    typeof payload === 'object' && payload !== null ? payload : { approved: payload }
  ) as { approved?: unknown; note?: unknown; answer?: unknown; grant?: unknown };
  const said = note ?? answer;
  return {
    ...{ id, approved: Array.isArray(approved) ? approved : approved !== false },
    ...(typeof said === 'string' && { note: said }),
    // Looked at where it comes in, as the whole decision is.
    ...(grant !== undefined && { grant: grant as NonNullable<Decision['grant']> }),
  };
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

/**
 * An end that waits for people, or for answers from outside, as it stands now: what was settled since is not asked any more. When nothing is open, the
 * run that goes on is another one, and this one has just ended.
 *
 * @param open ids of the waits that nobody has settled
 */
export function withOpen(event: AgUiEvent, open: readonly string[]): AgUiEvent {
  if (event.type !== 'RUN_FINISHED' || event.outcome?.type !== 'interrupt') return event;
  const interrupts = event.outcome.interrupts.filter(
    ({ id, reason }) => !waits.has(reason) || open.includes(id),
  );
  return {
    ...event,
    outcome: interrupts.length > 0 ? { type: 'interrupt', interrupts } : { type: 'success' },
  };
}

/** Reasons of interrupts that are waits of the session's. */
const waits: ReadonlySet<string> = new Set(['approval', 'question', 'callback', 'plan']);

/** What a client is told of an event, when it has asked for it by ids of its own. */
export interface Asked {
  /** The client's id of the run it asks for: what it is told is that run. */
  readonly runId: string;
  /** The client's id of a message by the server's. */
  readonly own: ReadonlyMap<string, string>;
  /** Its answers to interrupts that came second: told once, inside of a run. */
  readonly late: readonly DecidedBefore[];
}

/** The events for a client, under its own ids ({@link forOwner}). */
export function shownTo({ runId, own, late }: Asked): (event: AgUiEvent) => AgUiEvent[] {
  const toOwner = forOwner(own);
  let untold = late.map((value): AgUiEvent => ({ type: 'CUSTOM', name: 'steploop.decided_before', value }));
  return (event) => {
    switch (event.type) {
      case 'RUN_STARTED': {
        const notices = untold;
        untold = [];
        return [{ ...event, runId }, ...notices];
      }
      case 'RUN_FINISHED':
        return [{ ...event, runId }];
      default:
        return toOwner(event);
    }
  };
}
