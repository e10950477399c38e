import type { Usage } from '../../contract/session.ts';
import { isTooDeep } from '../plain/depth.ts';
import { parseExactly } from '../plain/digits.ts';
import { isRecord } from '../plain/merge.ts';
import { wellFormed } from '../plain/well-formed.ts';
import type { Billing } from './billing.ts';
import type { LearnedRule } from './server-rules.ts';
import type { Block, Stop, StoredReply, ToolCall } from './slots.ts';

/** The outcome of a model call. A provider never throws: refusal, truncation and outage are outcomes too. */
export type ModelOutcome = (
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** `used` is the usage that the server reported before the call broke: it is not refunded. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly used?: Used }
) & {
  /** New requirements of the server, beyond those that the request knew; absent if there are none. */
  readonly learned?: readonly LearnedRule[];
};

/** The usage of a model call. */
export type Used = Pick<Reply, 'usage' | 'estimated' | 'billing'>;

/** One model reply. */
export interface Reply {
  readonly model: string;
  readonly stop: Stop;
  /** The stop reason as the server reported it, with its explanation. */
  readonly stopDetail?: string;
  /** Complete content blocks only: a block that was cut off in the middle is left out, cut text is included. */
  readonly content: readonly Block[];
  /** As they run: read by the tools of the session (`tools/read-calls.ts`). */
  readonly calls: readonly ToolCall[];
  /** See {@link StoredReply}. */
  readonly read?: StoredReply['read'];
  readonly usage: Usage;
  /** Some of the usage is our estimate, because the server did not report it. */
  readonly estimated?: true;
  /** The part of its bill that is not in the usage. */
  readonly billing?: Billing;
  /** Tokens that the model had read and written at its end, if `usage` is the sum of several passes over them. */
  readonly contextTokens?: number;
  /** Tokens of the request that its server left out of the model's input (strategy `server`). */
  readonly cleared?: number;
  /** The model's thinking, if it is not part of `content`: tagged thinking, or a reply without anything else. */
  readonly reasoning?: string;
  /** Tool calls were cut off at the output limit, and are missing or unreliable. */
  readonly cutCalls?: boolean;
  /**
   * Set by providers that parse calls out of text: the calls of this cut reply are complete, and only later text is lost, so
   * they may run.
   */
  readonly callsComplete?: boolean;
  /** A tool call that the model wrote as text, or in an invalid form: its text. */
  readonly malformed?: string;
}

/** Why there is no reply, by who must act. */
export type Failure =
  /** Worth trying again after a while. `retryAfterMs` is what the server asks for. */
  | {
      readonly kind: 'retry';
      readonly code: string;
      readonly message: string;
      readonly rateLimited: boolean;
      readonly retryAfterMs?: number;
      /** The server is available, and our own time has run out: that is not an outage, and waiting does not help. */
      readonly ourTime?: true;
      /** No request was made: the server has refused others, and must not be asked for `retryAfterMs` (docs/adr/0024-signs.md). */
      readonly unasked?: true;
    }
  /**
   * The request and its possible reply exceed the model's window: a smaller context may be answered. `sent` and `most` are
   * tokens, if the server reports them.
   */
  | {
      readonly kind: 'too_long';
      readonly code: 'context_limit';
      readonly message: string;
      readonly sent?: number;
      readonly most?: number;
    }
  /** Thinking in the request does not match what the model thought in this context: without it the request may be answered. */
  | { readonly kind: 'thinking_mismatch'; readonly code: string; readonly message: string }
  /** The account needs a fix first: credentials, permission, spend limits. */
  | { readonly kind: 'account'; readonly code: string; readonly message: string }
  /** The request itself is wrong; sending it again does not help. */
  | {
      readonly kind: 'fatal';
      readonly code: string;
      readonly message: string;
      /** The rule of its server that the refusal names: a request that follows it may be answered. */
      readonly rule?: string;
      /** Set if a part of the conversation may be the cause: without it the request may be accepted. */
      readonly malformed?: Malformed;
      /** The tool whose declaration the server refuses: without it the request may be accepted. */
      readonly tool?: RefusedDeclaration;
      /** Set if the server refuses to answer the content of the request, as a reply that stops with `refusal` does. */
      readonly filtered?: true;
    };

/** The place in a request that its server names, if it names one. */
export interface Malformed {
  /** Index of the message, as the Messages API counts them. */
  readonly message?: number;
  /** Index of the block in it. */
  readonly block?: number;
  /** Id of a call. */
  readonly id?: string;
}

/** A tool of a request, as a server names it in a refusal: by its name, or by its index among the declared tools. */
export type RefusedDeclaration = { readonly name: string } | { readonly index: number };

/** The reply without its tool calls: its text stays in history, and its calls never ran. */
export function withoutCalls(reply: Reply): Reply {
  const { read: _read, ...rest } = reply;
  return {
    ...rest,
    calls: [],
    content: sendable(reply.content.filter((block) => block.type !== 'tool_use')),
  };
}

/** Unusable input as history stores it: servers accept objects only, and the API's documentation proposes this one. */
export const unusableInput = (text: string): { readonly INVALID_JSON: string } => ({ INVALID_JSON: text });

/** A reply of the model, or the calls that the system makes in its place. */
type Asks = Pick<StoredReply, 'content' | 'read'>;

/**
 * The calls of a reply as they run: as they were read when the reply came in, and otherwise as its content has them. All code
 * that shows, approves, hashes, runs or exports calls uses this. Empty without a reply.
 */
export function callsOf(asks: Asks | undefined): ToolCall[] {
  return (asks?.content ?? []).flatMap((block) => {
    const { type, name, input } = block;
    if (type !== 'tool_use') return [];
    const id = String(block.id);
    return [asks?.read?.find((call) => call.id === id) ?? { id, name: String(name), input: asCalled(input) }];
  });
}

/** The content of a reply with its calls as they were read. For people and exports; its model gets `content` unchanged. */
export function contentAsRead({ content, read }: Asks): readonly Block[] {
  if (!read) return content;
  return content.map((block) => {
    const call = block.type === 'tool_use' ? read.find(({ id }) => id === block.id) : undefined;
    return call ? { ...block, name: call.name, input: call.input } : block;
  });
}

/** The inverse of {@link unusableInput}, so that a schema that accepts any object does not run a call that the model did not ask for. */
function asCalled(input: unknown): unknown {
  if (!isRecord(input)) return input;
  const { INVALID_JSON: text, ...more } = input;
  if (typeof text !== 'string' || Object.keys(more).length > 0) return input;
  try {
    const value: unknown = parseExactly(text);
    return isTooDeep(value) ? text : value;
  } catch {
    return text;
  }
}

/** The reply's text, without thinking. */
export function textOf(content: readonly Block[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [String(block.text)] : [])).join('');
}

/**
 * The blocks of a reply that servers accept back: no blank text, no thinking with neither text nor signature, and no message
 * that consists only of thinking. Returns the same object if nothing has to be removed.
 */
export function sendable(content: readonly Block[]): readonly Block[] {
  const kept = content.filter((block) => !isEmpty(block));
  if (kept.every(isThinking)) return [];
  return kept.length === content.length ? content : kept;
}

function isEmpty({ type, text, thinking, signature }: Block): boolean {
  if (type === 'text') return String(text ?? '').trim() === '';
  return type === 'thinking' && !thinking && !signature;
}

/**
 * The content without signed thinking that has a lone surrogate: its signature is for exactly that text, which servers do not
 * accept in JSON.
 */
export function unbroken(content: readonly Block[]): readonly Block[] {
  const isBroken = (block: Block) =>
    isThinking(block) && Boolean(block.signature) && wellFormed(block) !== block;
  return content.some(isBroken) ? content.filter((block) => !isBroken(block)) : content;
}

/** Whether a block is the model's thinking, which only that model may read. */
export const isThinking = ({ type }: Block): boolean => type === 'thinking' || type === 'redacted_thinking';
