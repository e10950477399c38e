import { APIConnectionError, APIError } from 'openai/error';
import type { Dialect } from '../../agent/define/provider.ts';
import { codeAt } from '../common/failure.ts';
import { isObject, type Json, objectAt, stringAt } from '../common/json.ts';

/** Errors as the Chat Completions API, servers like it, and its SDK tell them. */
export const openaiErrors: Dialect = {
  answerOf(error) {
    if (!(error instanceof APIError) || error.status === undefined) return undefined;
    // The SDK has unwrapped it.
    const inner = isObject(error.error) ? error.error : {};
    return { status: error.status, body: { error: inner }, headers: error.headers };
  },
  isUnreachable: (error) => error instanceof APIConnectionError,
  statusOfEvent(body) {
    const error = objectAt(body, 'error');
    const { code } = error;
    if (typeof code === 'number' && code >= 400 && code < 600) return code;
    return STATUS_OF[codeOf(error) ?? ''] ?? 500;
  },
  said({ status, body }) {
    const error = objectAt(body, 'error');
    const code = codeOf(error) ?? `http_${status}`;
    return { code, message: stringAt(error, 'message') ?? '', account: NO_MONEY.has(code) };
  },
};

/** `code` says more than `type`; servers fill one or the other, and some put the status there. */
function codeOf(error: Json): string | undefined {
  return codeAt(error, 'code') ?? codeAt(error, 'type');
}

/** Rate limits by their status, which no waiting cures (OpenAI's guide to error codes). */
const NO_MONEY: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
]);

/** An error in the middle of a stream has no status; its code says which one it would have been. */
const STATUS_OF: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  context_length_exceeded: 400,
  invalid_api_key: 401,
  authentication_error: 401,
  insufficient_quota: 429,
  rate_limit_exceeded: 429,
  rate_limit_error: 429,
  server_error: 500,
  insufficient_system_resource: 503,
};
