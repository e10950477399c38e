import type { Usage } from '../../contract/session.ts';
import { isTooDeep } from '../plain/depth.ts';
import { parseExactly } from '../plain/digits.ts';
import { isRecord } from '../plain/merge.ts';
import { wellFormed } from '../plain/well-formed.ts';
import type { Billing } from './billing.ts';
import type { LearnedRule } from './server-rules.ts';
import type { Block, Stop, StoredReply, ToolCall } from './slots.ts';

/** What a model call came to. A provider never throws: refusal, truncation and outage are outcomes too. */
export type ModelOutcome = (
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** `used` is what the server said that the call had used before it broke: nobody gets it back (T19). */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly used?: Used }
) & {
  /** What the request's server wants beyond what the request knew; absent when nothing new was learned. */
  readonly learned?: readonly LearnedRule[];
};

/** What a model call has used. */
export type Used = Pick<Reply, 'usage' | 'estimated' | 'billing'>;

/** One model reply. */
export interface Reply {
  readonly model: string;
  readonly stop: Stop;
  /** The stop reason as the server said it, and what it said about it. */
  readonly stopDetail?: string;
  /** Whole content blocks only; a block that was cut off in the middle is not here, cut text is. */
  readonly content: readonly Block[];
  /** As they run: read by the tools of the session (`tools/read-calls.ts`). */
  readonly calls: readonly ToolCall[];
  /** See {@link StoredReply}. */
  readonly read?: StoredReply['read'];
  readonly usage: Usage;
  /** Some of the usage is our estimate: the server did not tell it (A9). */
  readonly estimated?: true;
  /** The part of its bill that is not in the usage. */
  readonly billing?: Billing;
  /** Tokens that the model had read and written at its end, where `usage` is the sum of several passes over them. */
  readonly contextTokens?: number;
  /** Tokens of the request that its server has left out of what the model read (strategy `server`). */
  readonly cleared?: number;
  /** What the model thought, where that is not part of `content`: tagged thinking (H19), or a reply of nothing else. */
  readonly reasoning?: string;
  /** Tool calls were cut off at the output limit, and are not here or not to be trusted (T18). */
  readonly cutCalls?: boolean;
  /**
   * Set by providers that parse calls out of text: the calls of this cut reply are whole, and only what came after
   * them is lost, so they may run (H12).
   */
  readonly callsComplete?: boolean;
  /** A tool call that the model wrote as text, or in a form that is none: what it looks like (H19). */
  readonly malformed?: string;
}

/** Why there is no reply, split by who must act. */
export type Failure =
  /** Worth trying again after a while. `retryAfterMs` is the server's own wish. */
  | {
      readonly kind: 'retry';
      readonly code: string;
      readonly message: string;
      readonly rateLimited: boolean;
      readonly retryAfterMs?: number;
      /** The server is there, and our own time has run out: that is no outage, and waiting changes nothing. */
      readonly ourTime?: true;
      /** No request was made: the server has refused others, and is not to be asked for `retryAfterMs` (docs/adr/0024-signs.md). */
      readonly unasked?: true;
    }
  /**
   * The model's window is smaller than the request and the reply that it may give: a smaller context may be answered. `sent`
   * and `most` are tokens, where the server says them.
   */
  | {
      readonly kind: 'too_long';
      readonly code: 'context_limit';
      readonly message: string;
      readonly sent?: number;
      readonly most?: number;
    }
  /** Thinking in the request is not what the model once thought over this context: without it the request may be answered. */
  | { readonly kind: 'thinking_mismatch'; readonly code: string; readonly message: string }
  /** Someone must fix the account first: credentials, permission, spend limits. */
  | { readonly kind: 'account'; readonly code: string; readonly message: string }
  /** The request itself is wrong; sending it again is no use. */
  | {
      readonly kind: 'fatal';
      readonly code: string;
      readonly message: string;
      /** The rule of its server that the refusal names: the same request by that rule may be answered. */
      readonly rule?: string;
      /** Set where a part of the conversation may be why: the request may be taken without it. */
      readonly malformed?: Malformed;
      /** The tool whose declaration the server refuses: the request may be taken without it. */
      readonly tool?: RefusedDeclaration;
      /** Set where the server does not answer to what the request says, as a reply that stops with `refusal`. */
      readonly filtered?: true;
    };

/** The place in a request that its server names, where it names one. */
export interface Malformed {
  /** Index of the message, as the Messages API counts them. */
  readonly message?: number;
  /** Index of the block in it. */
  readonly block?: number;
  /** Id of a call. */
  readonly id?: string;
}

/** A tool of a request, as a server names it in a refusal: by its name, or by its index among the tools that were declared. */
export type RefusedDeclaration = { readonly name: string } | { readonly index: number };

/** The reply with its tool calls taken out: its text stays in history, its calls never ran (A11, A12). */
export function withoutCalls(reply: Reply): Reply {
  const { read: _read, ...rest } = reply;
  return {
    ...rest,
    calls: [],
    content: sendable(reply.content.filter((block) => block.type !== 'tool_use')),
  };
}

/**
 * Input that nobody could use, as history holds it: servers take objects only, and the API's documentation proposes this
 * one.
 */
export const unusableInput = (text: string): { readonly INVALID_JSON: string } => ({ INVALID_JSON: text });

/** A reply of the model, or the calls that the system makes in its place. */
type Asks = Pick<StoredReply, 'content' | 'read'>;

/**
 * The calls of a reply as they run: as they were read when the reply was taken in, and otherwise as its content says. All code that shows, approves,
 * hashes, runs or exports calls uses this. Empty without a reply.
 */
export function callsOf(asks: Asks | undefined): ToolCall[] {
  return (asks?.content ?? []).flatMap((block) => {
    const { type, name, input } = block;
    if (type !== 'tool_use') return [];
    const id = String(block.id);
    return [asks?.read?.find((call) => call.id === id) ?? { id, name: String(name), input: asCalled(input) }];
  });
}

/** The content of a reply with its calls as they were read. For people and exports; its model gets `content` as it is. */
export function contentAsRead({ content, read }: Asks): readonly Block[] {
  if (!read) return content;
  return content.map((block) => {
    const call = block.type === 'tool_use' ? read.find(({ id }) => id === block.id) : undefined;
    return call ? { ...block, name: call.name, input: call.input } : block;
  });
}

/** The inverse of {@link unusableInput}, lest a schema that takes any object runs what the model did not ask for. */
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
 * The blocks of a reply that servers take back: no blank text, no thinking with neither text nor signature, and no message of nothing
 * but thinking. What can be sent as it is, is the same object.
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

/** The content without signed thinking that has a lone surrogate: its signature is of that very text, which no server takes in JSON. */
export function unbroken(content: readonly Block[]): readonly Block[] {
  const isBroken = (block: Block) =>
    isThinking(block) && Boolean(block.signature) && wellFormed(block) !== block;
  return content.some(isBroken) ? content.filter((block) => !isBroken(block)) : content;
}

/** Whether a block is what the model thought: its own, and nobody else's to read. */
export const isThinking = ({ type }: Block): boolean => type === 'thinking' || type === 'redacted_thinking';
