import type { Decided, Interrupt } from '../events.ts';
import type { AttachmentInfo } from '../message.ts';
import { isApproval, isForPeople } from '../waits.ts';
import type { Book } from './book.ts';
import type { ChatChunk } from './chunks.ts';
import { resultIdOf } from './ids.ts';

/** A call with all of its input, as it is committed: events cut long inputs. */
export interface WholeCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The chunks for calls. */
export interface CallLine {
  /** Calls whose arguments were sent as they came. */
  readonly streamed: ReadonlySet<string>;
  start(id: string, name: string): ChatChunk[];
  args(id: string, delta: string): ChatChunk[];
  end(id: string): ChatChunk[];
  /** A call as it is committed. */
  whole(call: WholeCall, providerExecuted?: boolean): ChatChunk[];
  result(id: string, content: string): ChatChunk[];
  /** Images of a call's result, sent after it. */
  attached(id: string, attachments: readonly AttachmentInfo[]): ChatChunk[];
  ask(interrupt: Interrupt, call: WholeCall | undefined): ChatChunk[];
  decided(value: Decided): ChatChunk[];
}

export function callLine(book: Book): CallLine {
  const streamed = new Set<string>();
  const open = new Map<string, { readonly name: string; args: string }>();
  const denied = new Set<string>();

  const whole: CallLine['whole'] = ({ id, name, input }, providerExecuted = true) => [
    ...(book.told.has(id) ? [] : book.inStep(id)),
    { type: 'tool-input-available', toolCallId: id, toolName: name, input, providerExecuted },
  ];
  const request = ({ id, toolCallId = '', message, expiresAt, metadata }: Interrupt): ChatChunk => {
    book.asked.add(id);
    return {
      ...{ type: 'tool-approval-request', approvalId: id, toolCallId },
      approvalDescriptor: { ...(expiresAt && { expiresAt }), ...(metadata && { metadata }) },
      ...(message !== undefined && { reason: message }),
    };
  };

  return {
    streamed,
    // Tools run where the agent does, so no page has to run them.
    start(id, name) {
      if (book.told.has(id)) return [];
      open.set(id, { name, args: '' });
      streamed.add(id);
      const begun = book.inStep(id);
      return [...begun, { type: 'tool-input-start', toolCallId: id, toolName: name, providerExecuted: true }];
    },
    args(id, delta) {
      const call = open.get(id);
      if (!call) return [];
      call.args += delta;
      return [{ type: 'tool-input-delta', toolCallId: id, inputTextDelta: delta }];
    },
    end(id) {
      const call = open.get(id);
      open.delete(id);
      return call ? whole({ id, name: call.name, input: parsed(call.args) }) : [];
    },
    whole,
    result(id, content) {
      const resultId = resultIdOf(id);
      if (!book.told.has(id) || book.told.has(resultId)) return [];
      if (book.step.includes(id)) book.inStep(resultId);
      book.told.add(resultId);
      return [denied.has(id) ? { type: 'tool-output-denied', toolCallId: id } : outputOf(id, content)];
    },
    attached(id, attachments) {
      const resultId = resultIdOf(id);
      const attachedId = `${resultId}-attached`;
      if (attachments.length === 0 || !book.told.has(id) || book.told.has(attachedId)) return [];
      if (book.step.includes(id)) book.inStep(attachedId);
      book.told.add(attachedId);
      const data = { toolCallId: id, attachments: [...attachments] };
      return [{ type: 'data-steploop-attached', id: resultId, data }];
    },
    ask(interrupt, call) {
      const { id, reason, toolCallId } = interrupt;
      const wait: ChatChunk = { type: 'data-steploop-wait', id, data: interrupt };
      // A page answers a question as the result of a tool that it runs.
      const shown = call && isAsked(reason) ? whole(call, isApproval(reason)) : [];
      const isShown = toolCallId !== undefined && book.told.has(toolCallId);
      return [...shown, ...(isShown && isApproval(reason) ? [request(interrupt)] : []), wait];
    },
    decided(value) {
      const { id, toolCallId, outcome, by } = value;
      const said: ChatChunk = { type: 'data-steploop-decided', id, data: value };
      const wasApproval = outcome === 'approved' || outcome === 'denied' || book.asked.has(id);
      if (!wasApproval || !book.told.has(toolCallId)) return [said];
      const approved = outcome === 'approved';
      if (!approved) denied.add(toolCallId);
      const reason = by === undefined ? `Not decided: ${outcome}.` : `${outcome} by ${by}`;
      return [
        ...(book.asked.has(id) ? [] : [request({ id, reason: 'approval', toolCallId })]),
        { type: 'tool-approval-response', approvalId: id, approved, reason },
        said,
      ];
    },
  };
}

/** Whether the page must show the call: a person decides on it, or the page answers it. */
const isAsked = (reason: string): boolean => isForPeople(reason) || reason === 'page';

/** A call's result. The text of an error begins with its kind: `Error [refused]: …`. */
const outputOf = (toolCallId: string, content: string): ChatChunk =>
  isError(content)
    ? { type: 'tool-output-error', toolCallId, errorText: content, providerExecuted: true }
    : { type: 'tool-output-available', toolCallId, output: parsed(content), providerExecuted: true };

export const isError = (content: string): boolean => /^Error \[\w+\]:/.test(content);

/** The JSON value of a text; the text itself when it is not JSON, or was cut. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
