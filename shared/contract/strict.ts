/**
 * The frames of a session as an AG-UI line that every AG-UI client accepts. Pure.
 *
 * AG-UI does not know attempts that died: its clients refuse a second end, an end without a beginning, and anything
 * outside of a run (`verifyEvents` of `@ag-ui/client`). Frames in order can still contain all of these: when an attempt
 * that died had pushed frames that it had not logged, when a client joins in the middle of a run, and when frames are
 * lost for good. So the output is what the frames mean to a reader who has received all earlier output:
 *
 * 1. Everything opens once and ends once: a second beginning or end is left out.
 * 2. A frame whose `prev` is below the one before it takes back the frames in between ({@link Frame}): everything that
 *    they opened is ended.
 * 3. An event outside of a run, or inside a message whose beginning was missed, is preceded by that beginning. A run
 *    whose end was missed is ended when the next one begins.
 * 4. Content that a snapshot shows whole is not repeated.
 * 5. Two things are sent between runs: the progress of a call that waits for an outside process, and that a session has
 *    messages before its first run. AG-UI has no place for them: the former is left out, and the messages are shown at
 *    the beginning of the next run.
 *
 * Both sides need it: `web/client` for readers over the WebSocket, `functions/agui.ts` for readers of SSE.
 */

import type { AgUiEvent, Folded, Frame, SnapshotMessage } from './events.ts';
import { foldMessage } from './folds.ts';

export interface StrictLine {
  /** Whether a run is open, as the reader knows it. */
  readonly running: boolean;
  /** The first events: the run in progress when the reader joins, and the messages so far. */
  begin(): AgUiEvent[];
  /** The events for the next frame, in order of `seq`. */
  next(frame: Frame): AgUiEvent[];
  /**
   * Shows the messages as they are now. Outside of a run, which AG-UI does not allow, they come at the next run's
   * beginning.
   */
  snapshot(messages: SnapshotMessage[]): AgUiEvent[];
  /** The ends of everything that is open, except the run, for a reader who must leave in the middle of it. */
  pause(): AgUiEvent[];
}

export interface StrictLineOptions {
  /** The AG-UI thread: the session's id, or its client's name for it. */
  readonly threadId: string;
  /** The run in progress when the reader joins. */
  readonly runId?: string;
  /** The messages for a reader who has nothing yet. */
  readonly messages?: SnapshotMessage[];
}

type Kind = 'step' | 'text' | 'thought' | 'call';

interface Open {
  readonly kind: Kind;
  readonly id: string;
  /** Seq of the frame that opened it. */
  readonly seq: number;
}

export function strictLine({ threadId, runId: joined, messages: before }: StrictLineOptions): StrictLine {
  const open = new Map<string, Open>();
  /** Everything that was begun in this run. */
  const begun = new Set<string>();
  /** Ids of messages, calls and results that the last snapshot shows. */
  let settled: ReadonlySet<string> = new Set();
  let held: AgUiEvent | undefined;
  let run: string | undefined;
  let last = 0;

  const beginRun = (runId: string): AgUiEvent[] => {
    run = runId;
    begun.clear();
    const kept = held ? [held] : [];
    held = undefined;
    return [{ type: 'RUN_STARTED', threadId, runId }, ...kept];
  };
  const begin = (kind: Kind, id: string, seq: number, event: AgUiEvent): AgUiEvent[] => {
    const name = `${kind} ${id}`;
    if (open.has(name) || (kind !== 'step' && settled.has(id))) return [];
    open.set(name, { kind, id, seq });
    begun.add(name);
    return [event];
  };
  /** The missed beginning of a message; nothing for one that was ended, or is shown whole. */
  const beginMissed = (kind: 'text' | 'thought', id: string, seq: number): AgUiEvent[] =>
    begun.has(`${kind} ${id}`) ? [] : begin(kind, id, seq, startOf(kind, id));
  const end = (kind: Kind, id: string, event: AgUiEvent): AgUiEvent[] =>
    open.delete(`${kind} ${id}`) ? [event] : [];
  const within = (kind: Kind, id: string, event: AgUiEvent): AgUiEvent[] =>
    open.has(`${kind} ${id}`) && !settled.has(id) ? [event] : [];

  /** Ends everything that was opened after `seq`, inside out. */
  const endAfter = (seq: number): AgUiEvent[] =>
    [...open.values()]
      .reverse()
      .filter((thing) => thing.seq > seq)
      .flatMap(({ kind, id }) => end(kind, id, endOf(kind, id)));
  const endRun = (event: AgUiEvent): AgUiEvent[] => {
    const events = [...endAfter(Number.NEGATIVE_INFINITY), event];
    run = undefined;
    return events;
  };

  const told = (event: AgUiEvent, seq: number): AgUiEvent[] => {
    switch (event.type) {
      case 'RUN_STARTED':
        return [];
      case 'RUN_FINISHED':
        return endRun({ ...event, threadId });
      case 'RUN_ERROR':
        return endRun(event);
      case 'STEP_STARTED':
        return begin('step', event.stepName, seq, event);
      case 'STEP_FINISHED':
        return end('step', event.stepName, event);
      case 'TEXT_MESSAGE_START':
        return begin('text', event.messageId, seq, event);
      case 'TEXT_MESSAGE_CONTENT':
        return [...beginMissed('text', event.messageId, seq), ...within('text', event.messageId, event)];
      case 'TEXT_MESSAGE_END':
        return [...beginMissed('text', event.messageId, seq), ...end('text', event.messageId, event)];
      case 'REASONING_MESSAGE_START':
        return begin('thought', event.messageId, seq, event);
      case 'REASONING_MESSAGE_CONTENT':
        return [
          ...beginMissed('thought', event.messageId, seq),
          ...within('thought', event.messageId, event),
        ];
      case 'REASONING_MESSAGE_END':
        return [...beginMissed('thought', event.messageId, seq), ...end('thought', event.messageId, event)];
      case 'TOOL_CALL_START':
        return begin('call', event.toolCallId, seq, event);
      case 'TOOL_CALL_ARGS':
        return within('call', event.toolCallId, event);
      case 'TOOL_CALL_END':
        return end('call', event.toolCallId, event);
      case 'TOOL_CALL_RESULT':
        return settled.has(event.messageId) ? [] : [event];
      case 'MESSAGES_SNAPSHOT':
        settled = idsOf(event.messages);
        return [event];
      case 'ACTIVITY_SNAPSHOT':
        return settled.has(event.messageId) ? [] : [event];
      case 'CUSTOM':
        return event.name === 'steploop.folded' ? [event, ...asMessage(event.value)] : [event];
      default:
        return event satisfies never;
    }
  };

  /** A fold is a message as well, where AG-UI has a kind for it: a reader who joins later finds it in the snapshot. */
  const asMessage = (value: Folded): AgUiEvent[] => {
    const { id: messageId, activityType, content } = foldMessage(value);
    return settled.has(messageId) ? [] : [{ type: 'ACTIVITY_SNAPSHOT', messageId, activityType, content }];
  };

  /** Events that must come first, so that the event is inside of its run. */
  const runFor = (event: AgUiEvent): AgUiEvent[] => {
    if (event.type === 'RUN_STARTED') {
      if (run === event.runId) return [];
      return [...(run === undefined ? [] : endRun(missed)), ...beginRun(event.runId)];
    }
    if (run !== undefined) return [];
    return beginRun(event.type === 'RUN_FINISHED' ? event.runId : `${threadId}-joined`);
  };

  const snapshot = (messages: SnapshotMessage[]): AgUiEvent[] => {
    const event: AgUiEvent = { type: 'MESSAGES_SNAPSHOT', messages };
    settled = idsOf(messages);
    if (run !== undefined) return [event];
    held = event;
    return [];
  };

  return {
    get running() {
      return run !== undefined;
    },
    begin: () => [
      ...(joined === undefined ? [] : beginRun(joined)),
      ...(before === undefined ? [] : snapshot(before)),
    ],
    next({ seq, prev, event }) {
      const takenBack = prev < last ? endAfter(prev) : [];
      last = seq;
      // The progress of a call that is answered later: its run has ended, as an interrupt, and continues under another
      // id.
      if (run === undefined && isBeside(event)) return takenBack;
      return [...takenBack, ...runFor(event), ...told(event, seq)];
    },
    snapshot,
    pause: () => endAfter(Number.NEGATIVE_INFINITY),
  };
}

/**
 * Whether it reports the progress of a call. Such reports also come when no run is open, for calls that wait for an
 * outside process.
 */
export const isProgress = (event: AgUiEvent): boolean =>
  event.type === 'CUSTOM' && event.name === 'steploop.progress';

/** Events that may come between two runs. */
const isBeside = (event: AgUiEvent): boolean =>
  isProgress(event) ||
  (event.type === 'CUSTOM' &&
    event.name === 'steploop.snapshot_needed' &&
    beginsWith.includes(event.value.why));

/** The events with which a session begins that has messages before its first run. */
const beginsWith = ['forked', 'imported'];

/** Sent when a run begins and the end of the one before was missed. */
const missed: AgUiEvent = {
  type: 'RUN_ERROR',
  message: 'The end of this run was missed: its events are no longer kept.',
  code: 'internal_error',
};

/** A user's message is named after the event that brought it. */
const startOf = (kind: 'text' | 'thought', messageId: string): AgUiEvent =>
  kind === 'thought'
    ? { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' }
    : { type: 'TEXT_MESSAGE_START', messageId, role: messageId.startsWith('user-') ? 'user' : 'assistant' };

function endOf(kind: Kind, id: string): AgUiEvent {
  switch (kind) {
    case 'step':
      return { type: 'STEP_FINISHED', stepName: id };
    case 'text':
      return { type: 'TEXT_MESSAGE_END', messageId: id };
    case 'thought':
      return { type: 'REASONING_MESSAGE_END', messageId: id };
    case 'call':
      return { type: 'TOOL_CALL_END', toolCallId: id };
    default:
      return kind satisfies never;
  }
}

const idsOf = (messages: readonly SnapshotMessage[]): ReadonlySet<string> =>
  new Set(
    messages.flatMap((message) => [
      message.id,
      ...(message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : []),
    ]),
  );
