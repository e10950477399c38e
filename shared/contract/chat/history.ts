import type { Interrupt, SnapshotMessage } from '../events.ts';
import type { AttachmentInfo } from '../message.ts';
import { isApproval } from '../waits.ts';
import { isError, parsed } from './calls.ts';
import { answerIdOf } from './ids.ts';

/** A message in the format of the AI SDK (`UIMessage`). */
export interface ChatMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly parts: readonly ChatPart[];
}

export type ChatPart =
  | { readonly type: 'step-start' }
  | { readonly type: 'text'; readonly text: string; readonly state?: 'done' }
  | { readonly type: 'file'; readonly mediaType: string; readonly filename: string; readonly url: string }
  | { readonly type: `data-steploop-${string}`; readonly id: string; readonly data: unknown }
  | CallPart;

interface CallPart {
  readonly type: `tool-${string}`;
  readonly toolCallId: string;
  readonly providerExecuted: boolean;
  readonly state: 'input-available' | 'approval-requested' | 'output-available' | 'output-error';
  readonly input: unknown;
  readonly output?: unknown;
  readonly errorText?: string;
  readonly approval?: { readonly id: string; readonly requestReason?: string; readonly descriptor: object };
}

/** The data with which a session is shown. */
export interface Shown {
  /** The waits of the session. */
  readonly waits: readonly Interrupt[];
  /** Links to the bytes of attachments, by hash. */
  readonly links: ReadonlyMap<string, string>;
}

/**
 * A session's messages in the format of the AI SDK: one answer between two messages of users. Without thinking, and
 * without settled approvals.
 */
export function toChatMessages(messages: readonly SnapshotMessage[], shown: Shown): ChatMessage[] {
  const results = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.toolCallId, message] as const] : [])),
  );
  const out: { id: string; role: 'user' | 'assistant'; parts: ChatPart[] }[] = [];
  let answer = 'answer';
  for (const message of messages) {
    if (message.role === 'user') {
      answer = answerIdOf(message.id);
      const files = filesOf(message.attachments, shown.links);
      out.push({ id: message.id, role: 'user', parts: [...files, { type: 'text', text: message.content }] });
      continue;
    }
    const parts = partsOf(message, results, shown);
    const last = out.at(-1);
    if (last?.role === 'assistant') last.parts.push(...parts);
    else if (parts.length > 0) out.push({ id: answer, role: 'assistant', parts });
  }
  return out;
}

function partsOf(
  message: Exclude<SnapshotMessage, { role: 'user' }>,
  results: ReadonlyMap<string, Extract<SnapshotMessage, { role: 'tool' }>>,
  shown: Shown,
): ChatPart[] {
  switch (message.role) {
    case 'tool':
      return filesOf(message.attachments, shown.links);
    case 'activity':
      return [{ type: 'data-steploop-folded', id: message.id, data: message.content }];
    case 'assistant': {
      const { content, toolCalls = [] } = message;
      return [
        { type: 'step-start' },
        ...(content ? [{ type: 'text' as const, text: content, state: 'done' as const }] : []),
        ...toolCalls.flatMap(({ id, function: { name, arguments: args } }) => {
          const wait = shown.waits.find(({ toolCallId }) => toolCallId === id);
          const data: ChatPart[] = wait ? [{ type: 'data-steploop-wait', id: wait.id, data: wait }] : [];
          return [callOf({ id, name, input: parsed(args) }, results.get(id)?.content, wait), ...data];
        }),
      ];
    }
    default:
      return message satisfies never;
  }
}

function callOf(
  call: { id: string; name: string; input: unknown },
  result: string | undefined,
  wait: Interrupt | undefined,
): CallPart {
  const { id: toolCallId, name, input } = call;
  const part = { type: `tool-${name}`, toolCallId, input } as const;
  if (result !== undefined) {
    return isError(result)
      ? { ...part, providerExecuted: true, state: 'output-error', errorText: result }
      : { ...part, providerExecuted: true, state: 'output-available', output: parsed(result) };
  }
  if (wait && isApproval(wait.reason)) {
    const { id, message, expiresAt, metadata } = wait;
    const descriptor = { ...(expiresAt && { expiresAt }), ...(metadata && { metadata }) };
    const approval = { id, descriptor, ...(message !== undefined && { requestReason: message }) };
    return { ...part, providerExecuted: true, state: 'approval-requested', approval };
  }
  // A page answers a question.
  return {
    ...part,
    providerExecuted: wait?.reason !== 'question' && wait?.reason !== 'page',
    state: 'input-available',
  };
}

const filesOf = (
  attachments: readonly AttachmentInfo[] = [],
  links: ReadonlyMap<string, string>,
): ChatPart[] =>
  attachments.flatMap(({ hash, name, mediaType }) => {
    const url = links.get(hash);
    return url === undefined ? [] : [{ type: 'file' as const, mediaType, filename: name, url }];
  });
