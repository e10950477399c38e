import type { Usage } from '../contract/session.ts';
import type { Block, ToolCall } from './slots.ts';

/**
 * Why the model stopped: the stop reasons of the Messages API, and ours for a call that we ended (`interrupted`), for
 * want of time (`deadline`).
 */
export type Stop =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'pause_turn'
  | 'refusal'
  | 'context_limit'
  | 'interrupted'
  | 'deadline'
  | 'unknown';

/** What a model call came to. A provider never throws: refusal, truncation and outage are outcomes too. */
export type ModelOutcome =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** One model reply. */
export interface Reply {
  readonly model: string;
  readonly stop: Stop;
  /** The stop reason as the server said it, and what it said about it. */
  readonly stopDetail?: string;
  /** Whole content blocks only; a block that was cut off in the middle is not here, cut text is. */
  readonly content: readonly Block[];
  readonly calls: readonly ToolCall[];
  /** Set when each call says where it ends, so that those here are whole although the reply was cut (H12). */
  readonly callsWhole?: boolean;
  /** Calls that the model wrote and nobody can read (H19). They are in neither `content` nor `calls`. */
  readonly malformed?: readonly MalformedCall[];
  readonly usage: Usage;
}

/** A `<tool_call>` block that is none. */
export interface MalformedCall {
  /** What stands in it, cut to 500 characters. */
  readonly text: string;
  /** What is wrong, to follow a colon: "it is not a JSON object". */
  readonly why: string;
}

/** Why there is no reply, split by who must act (platform-facts.md section 2, Classification). */
export type Failure =
  /** Worth trying again after a while. `retryAfterMs` is the server's own wish. */
  | {
      readonly kind: 'retry';
      readonly code: string;
      readonly message: string;
      readonly rateLimited: boolean;
      readonly retryAfterMs?: number;
    }
  /** Someone must fix the account first: credentials, permission, spend limits. */
  | { readonly kind: 'account'; readonly code: string; readonly message: string }
  /** The request itself is wrong; sending it again is no use. */
  | { readonly kind: 'fatal'; readonly code: string; readonly message: string };

/**
 * The reply as it may enter history: calls that must not run are taken out, and what is left can be sent
 * back to the model as it is.
 *
 * - A cut reply keeps its text and loses its calls, which may be cut too (A15, T18), unless they say where they end.
 * - So does a paused turn: what the server itself is doing are blocks of other kinds, and stay.
 * - A refusal keeps nothing (platform-facts.md section 2).
 * - `end_turn` with calls runs them: some servers of this API say so.
 */
export function admissible(reply: Reply): Reply {
  switch (reply.stop) {
    case 'tool_use':
    case 'end_turn':
      return { ...reply, content: sendable(reply.content) };
    case 'max_tokens':
      return reply.callsWhole ? { ...reply, content: sendable(reply.content) } : withoutCalls(reply);
    case 'context_limit':
    case 'interrupted':
    case 'deadline':
    case 'pause_turn':
    case 'unknown':
      return withoutCalls(reply);
    case 'refusal':
      return { ...reply, content: [], calls: [] };
    default:
      return reply.stop satisfies never;
  }
}

/** The reply with its tool calls taken out: its text stays in history, its calls never ran (A11, A12). */
export function withoutCalls(reply: Reply): Reply {
  return {
    ...reply,
    calls: [],
    content: sendable(reply.content.filter((block) => block.type !== 'tool_use')),
  };
}

/** The calls among content blocks. */
export function callsOf(content: readonly Block[]): ToolCall[] {
  return content.flatMap(({ type, id, name, input }) =>
    type === 'tool_use' ? [{ id: String(id), name: String(name), input }] : [],
  );
}

/** The reply's text, without thinking. */
export function textOf(content: readonly Block[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [String(block.text)] : [])).join('');
}

/** Empty text is a 400 when it is sent back, and so is a message of nothing but thinking. */
function sendable(content: readonly Block[]): readonly Block[] {
  const kept = content.filter((block) => block.type !== 'text' || String(block.text).trim() !== '');
  return kept.some((block) => !isThinking(block)) ? kept : [];
}

/** Whether a block is what the model thought: its own, and nobody else's to read. */
export const isThinking = ({ type }: Block): boolean => type === 'thinking' || type === 'redacted_thinking';
