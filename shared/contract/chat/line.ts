/**
 * A strict AG-UI line (`shared/contract/strict.ts`) as chunks of the AI SDK, which make one message of the assistant.
 * Pure.
 *
 * The behaviour of the SDK's client requires this (`processUIMessageStream` of the package `ai`):
 *
 * 1. A text that begins twice under one id becomes two parts, and parts are taken back only by `reset-step`, which
 *    removes all parts since the last `start-step`. So if a step is repeated, `reset-step` takes back what it has said,
 *    and a step gets its `start-step` when it has something of its own: results of earlier calls do not count.
 * 2. A chunk about a call, a text or an approval that the client does not have is an error there, and ends the answer.
 *    So something whose beginning was not sent is only sent whole, from a snapshot.
 * 3. After an `error` the client reads nothing. So the end of a run is sent when nothing follows: a message may have
 *    begun another run.
 */

import type { AgUiEvent, CustomEvent, SnapshotMessage } from '../events.ts';
import { openBook } from './book.ts';
import { callLine, parsed, type WholeCall } from './calls.ts';
import type { ChatChunk } from './chunks.ts';
import { dataOf, endOf } from './custom.ts';
import { lastOfUser, turnOf } from './ids.ts';
import type { ChatState } from './state.ts';

export interface ChatLine {
  /**
   * The chunks for the next event.
   *
   * @param calls the calls that the event is about, whole: for an end that waits for people
   */
  next(event: AgUiEvent, calls?: readonly WholeCall[]): ChatChunk[];
  /** The last chunks. */
  end(): ChatChunk[];
}

export function chatLine(from: ChatState): ChatLine {
  const book = openBook(from);
  const calls = callLine(book);
  /** The messages for a reader who joins, held until it is known which answer is current. */
  let held: readonly SnapshotMessage[] | undefined;
  let ending: ChatChunk[] | undefined;
  let isCut = false;
  /** An attempt has died, and its surviving part comes next: until then its output is not a step of its own. */
  let isRecovering = false;
  /** Texts of users that are being sent. */
  const saying = new Map<string, string>();

  const once = (id: string, chunk: ChatChunk): ChatChunk[] => {
    if (book.told.has(id)) return [];
    book.told.add(id);
    return [chunk];
  };
  const said = (id: string, text: string): ChatChunk[] =>
    id === book.own ? [] : once(id, { type: 'data-steploop-said', id, data: { id, text } });

  const start = (kind: 'text' | 'reasoning', id: string): ChatChunk[] => {
    if (book.told.has(id)) return [];
    book.open.add(id);
    return [...book.inStep(id), { type: `${kind}-start`, id }];
  };
  const speak = (kind: 'text' | 'reasoning', id: string, delta: string): ChatChunk[] => {
    const first = book.open.has(id) ? [] : start(kind, id);
    return book.open.has(id) ? [...first, { type: `${kind}-delta`, id, delta }] : [];
  };
  const stop = (kind: 'text' | 'reasoning', id: string): ChatChunk[] =>
    book.open.delete(id) ? [{ type: `${kind}-end`, id }] : [];

  /** Sends the parts of the turn in a snapshot that were not sent before. */
  const missing = (messages: readonly SnapshotMessage[]): ChatChunk[] =>
    turnOf(messages, book.own).flatMap((message): ChatChunk[] => {
      switch (message.role) {
        case 'user':
          return said(message.id, message.content);
        case 'assistant': {
          const { id, content, toolCalls = [] } = message;
          const untold = toolCalls.filter((call) => !book.told.has(call.id));
          const isText = content !== undefined && !book.told.has(id);
          return [
            ...(isText || untold.length > 0 ? book.nextStep() : []),
            ...(isText ? [...speak('text', id, content), ...stop('text', id)] : []),
            ...untold.flatMap(({ id: callId, function: { name, arguments: args } }) =>
              calls.whole({ id: callId, name, input: parsed(args) }),
            ),
          ];
        }
        case 'tool': {
          const { toolCallId, content, attachments = [] } = message;
          return [...calls.result(toolCallId, content), ...calls.attached(toolCallId, attachments)];
        }
        case 'activity':
          return once(message.id, { type: 'data-steploop-folded', data: message.content });
        default:
          return message satisfies never;
      }
    });

  const snapshot = (messages: readonly SnapshotMessage[]): ChatChunk[] => {
    if (book.until !== undefined && !messages.some(({ id }) => id === book.until)) return [];
    book.until = undefined;
    if (from.splits && !book.begun) {
      held = messages;
      return [];
    }
    // An attempt that died may have sent calls that were not kept.
    const kept = new Set(messages.flatMap(callIdsOf));
    const isStale = book.step.some((id) => calls.streamed.has(id) && !kept.has(id));
    const parted = isStale ? book.reset() : isRecovering ? book.nextStep() : [];
    isRecovering = false;
    return [...book.begin(), ...parted, ...missing(messages)];
  };
  const release = (): ChatChunk[] => {
    const messages = held;
    held = undefined;
    if (!messages) return book.begin();
    const own = lastOfUser(messages);
    if (own !== undefined) book.answerTo(own);
    // The next events belong to a step that is not committed.
    return [...book.begin(), ...missing(messages), ...book.nextStep()];
  };
  /** A user's message begins: the client's own, or another person's. */
  const hear = (id: string): ChatChunk[] => {
    if (!from.splits || book.told.has(id)) return [];
    if (id === book.own) return release();
    // A reader who resumes gets the current turn, and not the one before it.
    held = undefined;
    const ended = book.begun ? book.nextStep() : [];
    book.answerTo(id);
    return [...ended, ...book.begin()];
  };

  const custom = (event: CustomEvent): ChatChunk[] => {
    switch (event.name) {
      case 'steploop.aborted':
        return event.value.messageIds.some((id) => book.step.includes(id)) ? book.reset() : [];
      case 'steploop.recovered':
        isRecovering = true;
        return [];
      case 'steploop.snapshot_needed':
        return [];
      case 'steploop.decided':
        return calls.decided(event.value);
      case 'steploop.folded':
        return once(`fold-${event.value.slot}`, { type: 'data-steploop-folded', data: event.value });
      case 'steploop.attached': {
        const { messageId, attachments } = event.value;
        const toolCallId = /^result-(.+)$/.exec(messageId)?.[1];
        return toolCallId === undefined ? [] : calls.attached(toolCallId, attachments);
      }
      case 'steploop.reconnect': {
        isCut = true;
        const data = { after: event.value.after, state: book.state() };
        return [{ type: 'data-steploop-reconnect', data, transient: true }];
      }
      default:
        return [dataOf(event)];
    }
  };

  const told = (event: AgUiEvent, whole: readonly WholeCall[]): ChatChunk[] => {
    switch (event.type) {
      case 'RUN_STARTED':
        ending = undefined;
        return from.splits ? [] : book.begin();
      case 'RUN_FINISHED':
      case 'RUN_ERROR': {
        ending = endOf(event);
        const asked =
          event.type === 'RUN_FINISHED' && event.outcome.type === 'interrupt' ? event.outcome.interrupts : [];
        return asked.flatMap((one) =>
          calls.ask(
            one,
            whole.find(({ id }) => id === one.toolCallId),
          ),
        );
      }
      case 'STEP_STARTED':
        return book.begun && !isRecovering ? book.nextStep() : [];
      case 'STEP_FINISHED':
        isRecovering = false;
        return [];
      case 'TEXT_MESSAGE_START':
        if (event.role === 'assistant') return start('text', event.messageId);
        saying.set(event.messageId, '');
        return hear(event.messageId);
      case 'TEXT_MESSAGE_CONTENT': {
        const before = saying.get(event.messageId);
        if (before === undefined) return speak('text', event.messageId, event.delta);
        saying.set(event.messageId, before + event.delta);
        return [];
      }
      case 'TEXT_MESSAGE_END': {
        const text = saying.get(event.messageId);
        return text === undefined ? stop('text', event.messageId) : said(event.messageId, text);
      }
      case 'REASONING_MESSAGE_START':
        return start('reasoning', event.messageId);
      case 'REASONING_MESSAGE_CONTENT':
        return speak('reasoning', event.messageId, event.delta);
      case 'REASONING_MESSAGE_END':
        return stop('reasoning', event.messageId);
      case 'TOOL_CALL_START':
        return calls.start(event.toolCallId, event.toolCallName);
      case 'TOOL_CALL_ARGS':
        return calls.args(event.toolCallId, event.delta);
      case 'TOOL_CALL_END':
        return calls.end(event.toolCallId);
      case 'TOOL_CALL_RESULT':
        return calls.result(event.toolCallId, event.content);
      case 'MESSAGES_SNAPSHOT':
        return snapshot(event.messages);
      case 'ACTIVITY_SNAPSHOT':
        // `steploop.folded`, which comes with it, says the same.
        return [];
      case 'CUSTOM':
        return custom(event);
      default:
        return event satisfies never;
    }
  };

  return {
    next(event, whole = []) {
      if (book.until !== undefined && event.type !== 'MESSAGES_SNAPSHOT' && !isCutShort(event)) {
        if (event.type !== 'TEXT_MESSAGE_START' || event.messageId !== book.until) return [];
        book.until = undefined;
        return [...book.begin(), ...told(event, whole)];
      }
      const waits = from.splits && !book.begun && !saysNothing(event);
      return [...(waits ? release() : []), ...told(event, whole)];
    },
    end() {
      const begun = from.splits && !book.begun ? release() : book.begin();
      if (isCut) return begun;
      return [...begun, ...book.nextStep(), ...(ending ?? [{ type: 'finish', finishReason: 'other' }])];
    },
  };
}

const isCutShort = (event: AgUiEvent): boolean =>
  event.type === 'CUSTOM' && event.name === 'steploop.reconnect';

/** Whether an event does not say which turn is current. */
function saysNothing(event: AgUiEvent): boolean {
  switch (event.type) {
    case 'RUN_STARTED':
    case 'STEP_STARTED':
    case 'STEP_FINISHED':
    case 'MESSAGES_SNAPSHOT':
      return true;
    case 'TEXT_MESSAGE_START':
      return event.role === 'user';
    case 'CUSTOM':
      return passing.has(event.name);
    default:
      return false;
  }
}

const passing: ReadonlySet<string> = new Set([
  'steploop.aborted',
  'steploop.recovered',
  'steploop.snapshot_needed',
  'steploop.retry',
  'steploop.folding',
  'steploop.progress',
]);

const callIdsOf = (message: SnapshotMessage): string[] =>
  message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [];
