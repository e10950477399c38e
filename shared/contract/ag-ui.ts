/** The input of an AG-UI client, and its meaning for a session. Validation is in `ag-ui-input.ts`. */

import { resultIdOf } from './chat/ids.ts';
import type { AgUiEvent, DecidedBefore, SnapshotMessage } from './events.ts';
import type { PageAnswer } from './page.ts';
import { changesBy, type PageState, type StateEvent } from './page-state.ts';
import { seenCalls } from './seen-calls.ts';
import { waitKinds } from './waits.ts';

/** An answer to one interrupt, as AG-UI has it. */
export interface ResumeEntry {
  readonly interruptId: string;
  readonly status: 'resolved' | 'cancelled';
  /**
   * Our own: `false` or `{ approved: false }` denies; for a plan `{ approved: [1, 3] }` approves these changes; a text,
   * or `{ note }`, is a person's answer, or the reason of a denial; `{ grant }`: docs/leave.md.
   */
  readonly payload?: unknown;
}

/** The body of `POST /sessions/{sessionId}/decisions`. */
export interface Decision {
  readonly id: string;
  /** For a plan also the numbers of the approved changes, from 1. */
  readonly approved: boolean | readonly number[];
  /** The answer to a question, or what the model is told about a denial. */
  readonly note?: string;
  /** For an approval: what is allowed beyond this call. */
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
    // Validated at the entry point, with the whole decision.
    ...(grant !== undefined && { grant: grant as NonNullable<Decision['grant']> }),
  };
}

/** A message of AG-UI, unchecked beyond its id and role. */
interface InputMessage {
  readonly id: string;
  readonly role: string;
  readonly content?: unknown;
  readonly toolCallId?: string | undefined;
  readonly error?: string | undefined;
}

/**
 * The results of calls after the last reply in a client's messages. Earlier ones are history. Their ids may
 * repeat, because some model servers start again from 0 in each reply.
 */
export const toolMessagesIn = <Message extends InputMessage>(messages: readonly Message[]) =>
  messages
    .slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
    .flatMap((message) =>
      message.role === 'tool' && message.toolCallId !== undefined
        ? [{ ...message, toolCallId: message.toolCallId }]
        : [],
    );

/** The answers of a page to the calls of the last reply. Results under our ids are those that we have shown it. */
export const pageAnswersIn = (messages: readonly InputMessage[]): PageAnswer[] =>
  toolMessagesIn(messages)
    .filter(({ id, toolCallId }) => id !== resultIdOf(toolCallId))
    .map(({ toolCallId, content, error }) => ({
      toolCallId,
      answer: error === undefined ? { result: content ?? '' } : { error },
    }));

/**
 * The events for a client that has its own ids for some user messages: its own messages are not sent to it again, and
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
      case 'TOOL_CALL_RESULT':
        return own.has(event.messageId) ? [] : [event];
      case 'MESSAGES_SNAPSHOT':
        return [{ ...event, messages: event.messages.map(renamed) }];
      default:
        return [event];
    }
  };
}

/**
 * The end of a run that waits for people, or for answers from outside, as it stands now: settled waits are no longer
 * asked for. When nothing is open, the current run is another one, and this one has just ended.
 *
 * @param open ids of the waits that are not settled
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

/**
 * The end of a run that waits for a page, as AG-UI has it: no interrupt, and its calls without a result
 * (https://github.com/ag-ui-protocol/ag-ui/pull/2731). A page that has the tool of one sees no other interrupt before it has
 * answered: a client with open interrupts would refuse to send its answer (`AbstractAgent.onInitialize` of `@ag-ui/client`).
 *
 * It has no outcome, which counts as a success. With that of a success, assistant-ui before 0.0.58 of its `react-ag-ui` never
 * answers (https://github.com/assistant-ui/assistant-ui/issues/6500); `pendingToolCallIds` in it is refused by 0.0.59 of
 * `@ag-ui/core`, which CopilotKit has.
 *
 * @param isOfClient whether the client has the tool of a call
 */
function withoutPageWaits(
  event: Extract<AgUiEvent, { type: 'RUN_FINISHED' }>,
  isOfClient: (callId: string) => boolean,
): AgUiEvent {
  const { outcome } = event;
  if (outcome.type !== 'interrupt') return event;
  const pages = outcome.interrupts.filter(({ reason }) => reason === 'page');
  if (pages.length === 0) return event;
  const answersFirst = pages.some(({ toolCallId = '' }) => isOfClient(toolCallId));
  const interrupts = answersFirst ? [] : outcome.interrupts.filter(({ reason }) => reason !== 'page');
  if (interrupts.length > 0) return { ...event, outcome: { type: 'interrupt', interrupts } };
  const { outcome: _, ...end } = event;
  return end as AgUiEvent;
}

/** Reasons of interrupts that are waits of the session. */
const waits: ReadonlySet<string> = new Set(waitKinds);

/** The ids and tools of a client, which decide how events are shown to it. */
export interface ClientIds {
  /** The client's id of the run it asks for: events are sent as part of that run. */
  readonly runId: string;
  /** The client's id of a message by the server's. */
  readonly own: ReadonlyMap<string, string>;
  /** Its answers to interrupts that came second: sent once, inside of a run. */
  readonly late: readonly DecidedBefore[];
  /** Names of the tools that it runs. */
  readonly tools: ReadonlySet<string>;
  /** Whether it shares its state with the model. */
  readonly sharesState: boolean;
  /** The state that it begins with, if that is not its own: sent once, inside of a run. */
  readonly state?: PageState | undefined;
}

/** The events for a client, under its own ids ({@link forOwner}). */
export function shownTo({
  runId,
  own,
  late,
  tools,
  sharesState,
  state,
}: ClientIds): (event: AgUiEvent) => (AgUiEvent | StateEvent)[] {
  const toOwner = forOwner(own);
  const calls = seenCalls();
  const isOfClient = (callId: string) => tools.has(calls.nameOf(callId) ?? '');
  let untold: (AgUiEvent | StateEvent)[] = [
    ...late.map((value): AgUiEvent => ({ type: 'CUSTOM', name: 'steploop.decided_before', value })),
    ...(state ? [{ type: 'STATE_SNAPSHOT' as const, snapshot: state }] : []),
  ];
  return (event) => {
    calls.see(event);
    const changes = sharesState ? changesBy(event, calls) : [];
    switch (event.type) {
      case 'RUN_STARTED': {
        const notices = untold;
        untold = [];
        return [{ ...event, runId }, ...notices];
      }
      case 'RUN_FINISHED':
        return [withoutPageWaits({ ...event, runId }, isOfClient)];
      default:
        return [...toOwner(event), ...changes];
    }
  };
}
