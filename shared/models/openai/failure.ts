import { APIConnectionError, APIError } from 'openai/error';
import type { Dialect, TooLong } from '../../agent/define/provider.ts';
import { own } from '../../agent/plain/merge.ts';
import { codeAt } from '../common/failure.ts';
import { isObject, type Json, objectAt, stringAt } from '../common/json.ts';
import { saysNoMoney } from '../common/money.ts';
import { ruleIn } from '../facts.ts';

/** Errors as the Chat Completions API, servers like it, and its SDK report them. */
export const openaiErrors: Dialect = {
  answerOf(error) {
    if (!(error instanceof APIError) || error.status === undefined) return undefined;
    return { status: error.status, body: { error: error.error }, headers: error.headers };
  },
  isUnreachable: (error) => error instanceof APIConnectionError,
  statusOfEvent(body) {
    const error = innerOf(body.error);
    const code = Number(error.code ?? error.status);
    if (Number.isInteger(code) && code >= 400 && code < 600) return code;
    return own(STATUS_OF, codeOf(error) ?? '') ?? 500;
  },
  said({ status, body }) {
    const error = innerOf(body.error);
    const code = codeOf(error) ?? `http_${status}`;
    // OpenRouter's own message says only that a server behind it has refused; this is that server's message.
    const behind = stringAt(objectAt(error, 'metadata'), 'raw');
    const message = behind ?? wordsOf(error);
    const rule = REFUSED.has(status) ? ruleIn(`${stringAt(error, 'param') ?? ''} ${message}`) : undefined;
    return {
      code,
      message,
      account: NO_MONEY.has(code) || saysNoMoney(message),
      tooLong: counted(error),
      rule,
    };
  },
};

/** The value of `error`: mostly an object; xAI and LM Studio send a text; for Gemini the SDK leaves the list around the whole. */
function innerOf(told: unknown): Json {
  if (typeof told === 'string') return { message: told };
  const first: unknown = Array.isArray(told) ? told[0] : told;
  if (!isObject(first)) return {};
  return isObject(first.error) ? first.error : first;
}

/** Statuses of a request that is refused as it stands. */
const REFUSED: ReadonlySet<number> = new Set([400, 422]);

/** The message: a text, or Pydantic's list of errors for each part of the request, as Mistral passes it on. */
function wordsOf(error: Json): string {
  const { message } = error;
  if (typeof message === 'string') return message;
  const said = isObject(message) ? message.detail : (message ?? error.detail);
  if (typeof said === 'string') return said;
  return Array.isArray(said) ? said.filter(isObject).slice(0, 10).map(wordsOfPart).join('; ') : '';
}

function wordsOfPart({ loc, msg }: Json): string {
  const place = Array.isArray(loc) ? loc.join('.') : '';
  return `${place.slice(0, 200)}: ${String(msg ?? '').slice(0, 300)}`;
}

/** llama.cpp sends token counts beside its message (`format_error_response` of its server). */
function counted({ n_prompt_tokens: sent, n_ctx: most }: Json): TooLong | undefined {
  return typeof sent === 'number' && typeof most === 'number' && sent >= most ? { sent, most } : undefined;
}

/** `code` says more than `type`; servers fill one or the other, and some put the status there. */
function codeOf(error: Json): string | undefined {
  return codeAt(error, 'code') ?? codeAt(error, 'type');
}

/** Codes that come with the status of a rate limit, though waiting does not help (OpenAI's guide to error codes). */
const NO_MONEY: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
]);

/** An error in the middle of a stream has no status; its code implies one. */
const STATUS_OF: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  context_length_exceeded: 400,
  invalid_api_key: 401,
  authentication_error: 401,
  insufficient_quota: 429,
  rate_limit_exceeded: 429,
  rate_limit_error: 429,
  too_many_requests: 429,
  server_error: 500,
  insufficient_system_resource: 503,
};
