import { defined } from '../../agent/plain/defined.ts';
import type { Malformed, RefusedDeclaration } from '../../agent/session/reply.ts';

/** Reads refusals of a request as a whole. It is loaded when a server refuses one. */

/** Statuses of a request that a server cannot take as it stands. */
const MALFORMED: ReadonlySet<number> = new Set([400, 422]);

/**
 * Whether a part of the conversation may be why a server refused a request, and which part it names:
 * `messages.12.content.3` as the Messages API counts, or the id of a call. Undefined if the server names something
 * else: a tool, the system prompt, a parameter.
 *
 * @param words the server's message
 * @param param the parameter that it names (OpenAI's APIs)
 */
export function malformedOf(status: number, words: string, param: string | undefined): Malformed | undefined {
  if (!MALFORMED.has(status)) return undefined;
  if (ELSEWHERE.test(words) || (param !== undefined && !IN_CONVERSATION.test(param))) return undefined;
  const [, message, block] = /\bmessages\.(\d+)(?:\.content\.(\d+))?/.exec(words) ?? [];
  const id = /\b(?:srvtoolu|mcptoolu|toolu|call)_[\w-]+/.exec(words)?.[0];
  return {
    ...(message !== undefined && { message: Number(message) }),
    ...(block !== undefined && { block: Number(block) }),
    ...defined({ id }),
  };
}

/** The field of the conversation: in Chat Completions, and in the Responses API. */
const IN_CONVERSATION = /^(?:messages|input)(?![a-z_])/;

/** Words that name a field of the request other than its messages, as both APIs write it. */
const ELSEWHERE =
  /^['"`]?(?:tools|tool_choice|system|model|max_tokens|max_completion_tokens|thinking|temperature|top_[pk]|stop_sequences|metadata|betas|output_config|response_format|context_management|stream)\b|^Invalid schema for |^(?:Unknown|Unsupported|Unrecognized) (?:parameter|request argument|value: '(?:tools|model))/;

/**
 * The tool whose declaration a refusal names. The Messages API counts the tools:
 * `tools.42.custom.input_schema: JSON schema is invalid` (anthropics/claude-code#34771). OpenAI names the function, or
 * a place in `param`: `Invalid schema for function 'find'` (can1357/oh-my-pi#2652), `tools[3].function.name`. Gemini
 * counts in one list: `tools[0].function_declarations[3].parameters`. Undefined if no single tool is named.
 *
 * @param words the server's message
 * @param param the parameter that it names (Chat Completions)
 */
export function refusedDeclaration(
  status: number,
  words: string,
  param: string | undefined,
): RefusedDeclaration | undefined {
  if (!MALFORMED.has(status)) return undefined;
  const name = /^Invalid schema for function ['"`]([\w.-]{1,128})['"`]/.exec(words)?.[1];
  if (name !== undefined) return { name };
  const listed = /\btools\[0\]\.function_?declarations\[(\d+)\]/i.exec(words)?.[1];
  const counted = /^['"`]?tools(?:\.(\d+)\b|\[(\d+)\])/;
  const [, dotted, bracketed] = counted.exec(param ?? '') ?? counted.exec(words) ?? [];
  const index = listed ?? dotted ?? bracketed;
  return index === undefined ? undefined : { index: Number(index) };
}

/**
 * A 400 because the account has no credit left (anthropics/claude-code#66314) or has reached its spending limit. No
 * part of the request is to blame.
 */
export const isOfAccount = (words: string): boolean =>
  /credit balance is too low|reached your specified API usage limits|organization has been disabled/i.test(
    words,
  );

/**
 * An error in place of a reply, because of the request's content: Azure (`content_filter`), OpenAI (`invalid_prompt`),
 * Anthropic ("Output blocked by content filtering policy", anthropics/claude-code#58367), DeepSeek ("Content Exists
 * Risk", 666ghj/BettaFish#108), Alibaba (`data_inspection_failed`).
 */
export const isFiltered = (code: string, words: string): boolean =>
  FILTER_CODES.has(code) ||
  /blocked by content filtering|content management policy|Content Exists Risk|flagged as potentially violating/i.test(
    words,
  );

const FILTER_CODES: ReadonlySet<string> = new Set([
  'content_filter',
  'content_policy_violation',
  'data_inspection_failed',
  'invalid_prompt',
  'bio_policy',
  'image_content_policy_violation',
  'misalignment_policy_violation',
]);
