/**
 * A session as people see it, as a pure fold over its events: `view = fold(view, event)`.
 *
 * It accepts events in any state, so a client that joins in the middle of a run shows the events that it has.
 */

import type {
  AgUiEvent,
  Folded,
  Folding,
  RunResult,
  SnapshotMessage,
  StepUsage,
} from '../../shared/contract/events.ts';
import { foldMessage } from '../../shared/contract/folds.ts';
import type { Reason } from '../../shared/contract/session.ts';

/** A session as it is shown. */
export interface View {
  /** Messages and tool calls, oldest first. */
  readonly items: readonly Item[];
  readonly run: RunView;
  /** Name of the open step. */
  readonly step?: string;
  /** The latest report of tokens and price. */
  readonly usage?: StepUsage;
  /** Set during a compaction. */
  readonly folding?: Folding;
}

/** One entry of the view. */
export type Item = MessageItem | CallItem | FoldItem;

/** A message, or the reasoning before one. */
export interface MessageItem {
  readonly kind: 'message';
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'reasoning';
  readonly text: string;
  /** Whether more text may come. */
  readonly open: boolean;
}

/** A tool call with its result, once there is one. */
export interface CallItem {
  readonly kind: 'call';
  readonly id: string;
  readonly name: string;
  /** The arguments so far, as JSON text. */
  readonly args: string;
  /** The message that made the call. */
  readonly messageId?: string;
  readonly result?: string;
  /** Progress, as the tool reports it. */
  readonly progress?: { readonly message: string; readonly share?: number };
}

/** A compaction happened here: the model now reads a shorter version. The messages above stay visible. */
export interface FoldItem {
  readonly kind: 'fold';
  readonly id: string;
  readonly folded: Folded;
}

/** The state of the last run, or how it ended. */
export type RunView =
  | { readonly kind: 'none' }
  | { readonly kind: 'running'; readonly runId: string }
  | { readonly kind: 'finished'; readonly runId: string; readonly result: RunResult }
  | { readonly kind: 'failed'; readonly code: Reason; readonly message: string };

/** Before the first event. */
export const emptyView: View = { items: [], run: { kind: 'none' } };

/** The view after an event. Pure. */
export function fold(view: View, event: AgUiEvent): View {
  switch (event.type) {
    case 'RUN_STARTED':
      return { ...view, run: { kind: 'running', runId: event.runId }, folding: undefined };
    case 'RUN_FINISHED':
      return {
        ...view,
        run: { kind: 'finished', runId: event.runId, result: event.result },
        folding: undefined,
      };
    case 'RUN_ERROR':
      return {
        ...view,
        run: { kind: 'failed', code: event.code, message: event.message },
        folding: undefined,
      };
    case 'STEP_STARTED':
      return { ...view, step: event.stepName, folding: undefined };
    case 'STEP_FINISHED':
      return { ...view, step: undefined, folding: undefined };
    case 'TEXT_MESSAGE_START':
    case 'REASONING_MESSAGE_START':
      return withMessage(view, event.messageId, (message) => ({ ...message, role: event.role, open: true }));
    case 'TEXT_MESSAGE_CONTENT':
      return withMessage(view, event.messageId, (message) => added(message, event.delta));
    case 'REASONING_MESSAGE_CONTENT':
      return withMessage(view, event.messageId, (message) => ({
        ...added(message, event.delta),
        role: 'reasoning',
      }));
    case 'TEXT_MESSAGE_END':
    case 'REASONING_MESSAGE_END':
      // An end event of a message that a snapshot has removed adds nothing.
      return view.items.some((item) => item.kind === 'message' && item.id === event.messageId)
        ? withMessage(view, event.messageId, (message) => ({ ...message, open: false }))
        : view;
    case 'TOOL_CALL_START':
      return withCall(view, event.toolCallId, (call) => ({
        ...call,
        name: event.toolCallName,
        ...(event.parentMessageId && { messageId: event.parentMessageId }),
      }));
    case 'TOOL_CALL_ARGS':
      return withCall(view, event.toolCallId, (call) => ({ ...call, args: call.args + event.delta }));
    case 'TOOL_CALL_END':
      return view;
    case 'TOOL_CALL_RESULT':
      return withCall(view, event.toolCallId, (call) => ({ ...call, result: event.content }));
    case 'MESSAGES_SNAPSHOT':
      return { ...view, items: itemsOf(event.messages), folding: undefined };
    case 'ACTIVITY_SNAPSHOT':
      return withFold(view, { kind: 'fold', id: event.messageId, folded: event.content });
    case 'CUSTOM':
      if (event.name === 'steploop.progress') {
        const { toolCallId, ...progress } = event.value;
        return withCall(view, toolCallId, (call) => ({ ...call, progress }));
      }
      if (event.name === 'steploop.folding') return { ...view, folding: event.value };
      if (event.name === 'steploop.folded') return withFold(view, foldItem(event.value));
      if (event.name === 'steploop.usage') return { ...view, usage: event.value };
      if (event.name === 'steploop.aborted')
        return { ...view, items: without(view.items, event.value.messageIds) };
      return view;
    default:
      return event satisfies never;
  }
}

/** The text of all messages of a role, in order: tests compare it. */
export const textOf = (view: View, role: MessageItem['role'] = 'assistant'): string =>
  view.items.map((item) => (item.kind === 'message' && item.role === role ? item.text : '')).join('');

/**
 * Whether the run waits for its calls: some of the latest have no result yet. While calls run within their step, the session's
 * stored state stays `running`, because another state would cost two writes a step.
 */
export function isWaitingForTools({ items, run }: View): boolean {
  const latest = items.slice(items.findLastIndex(({ kind }) => kind !== 'call') + 1);
  return run.kind === 'running' && latest.some((item) => item.kind === 'call' && item.result === undefined);
}

const added = (message: MessageItem, delta: string): MessageItem => ({
  ...message,
  text: message.text + delta,
});

function withMessage(view: View, id: string, change: (message: MessageItem) => MessageItem): View {
  const fresh: MessageItem = { kind: 'message', id, role: 'assistant', text: '', open: true };
  return withItem(view, (item) => item.kind === 'message' && item.id === id, fresh, change);
}

function withCall(view: View, id: string, change: (call: CallItem) => CallItem): View {
  const fresh: CallItem = { kind: 'call', id, name: '', args: '' };
  return withItem(view, (item) => item.kind === 'call' && item.id === id, fresh, change);
}

const foldItem = (folded: Folded): FoldItem => ({ kind: 'fold', id: foldMessage(folded).id, folded });

const withFold = (view: View, fold: FoldItem): View => ({
  ...withItem(
    view,
    (item) => item.id === fold.id,
    fold,
    () => fold,
  ),
  folding: undefined,
});

/** Changes the item that `is` matches, or a new one at the end. */
function withItem<T extends Item>(
  view: View,
  is: (item: Item) => boolean,
  fresh: T,
  change: (item: T) => T,
): View {
  const at = view.items.findIndex(is);
  if (at < 0) return { ...view, items: [...view.items, change(fresh)] };
  return { ...view, items: view.items.with(at, change(view.items[at] as T)) };
}

/** An attempt died: removes its messages, and the calls they made. */
const without = (items: readonly Item[], messageIds: readonly string[]): readonly Item[] =>
  items.filter((item) => {
    const id = item.kind === 'call' ? item.messageId : item.id;
    return id === undefined || !messageIds.includes(id);
  });

function itemsOf(messages: readonly SnapshotMessage[]): Item[] {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? [[message.toolCallId, message.content] as const] : [],
    ),
  );
  return messages.flatMap((message): Item[] => {
    if (message.role === 'tool') return [];
    if (message.role === 'activity') return [foldItem(message.content)];
    const { id, role, content = '' } = message;
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    return [
      ...(content === '' ? [] : [{ kind: 'message', id, role, text: content, open: false } as const]),
      ...calls.map((call): CallItem => {
        const result = results.get(call.id);
        const { name, arguments: args } = call.function;
        return {
          kind: 'call',
          id: call.id,
          name,
          args,
          messageId: id,
          ...(result !== undefined && { result }),
        };
      }),
    ];
  });
}
