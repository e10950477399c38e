import { APIConnectionError, APIError } from '@anthropic-ai/sdk/error';
import type { Answer, Dialect } from '../../agent/define/provider.ts';
import { own } from '../../agent/plain/merge.ts';
import { codeAt } from '../common/failure.ts';
import { isObject, objectAt, stringAt } from '../common/json.ts';
import { saysNoMoney } from '../common/money.ts';

/** Errors as the Messages API and its SDK report them. */
export const anthropicErrors: Dialect = {
  answerOf(error): Answer | undefined {
    if (!(error instanceof APIError) || error.status === undefined) return undefined;
    return {
      status: error.status,
      body: isObject(error.error) ? error.error : {},
      headers: error.headers,
    };
  },
  isUnreachable: (error) => error instanceof APIConnectionError,
  statusOfEvent: (body) => own(STATUS_OF, stringAt(objectAt(body, 'error'), 'type') ?? '') ?? 500,
  said({ status, body }) {
    // Clouds that speak this API leave out the wrapper of the message (Bedrock).
    const error = isObject(body.error) ? body.error : { message: body.message };
    const type = codeAt(error, 'type') ?? `http_${status}`;
    const detail = codeAt(objectAt(error, 'details'), 'error_code');
    // Waiting does not help with this 429. A ramp limit is not one of these: it says when to come back.
    const isSpent = status === 429 && detail !== undefined && detail.includes('spend_limit');
    const message = stringAt(error, 'message') ?? '';
    const code = isSpent ? detail : type;
    const account = isSpent || saysNoMoney(message);
    return { code, message, account, thinkingMismatch: MISMATCH.test(message) };
  },
};

/**
 * Thinking that this API refuses in its place: it is bound to a different conversation (its guide to preserved
 * thinking), of another key or model, or was changed on its way (anthropics/anthropic-sdk-python#1598).
 */
const MISMATCH =
  /^messages\.\d+\.content\.\d+(?:\.\w+)*: (?:Invalid `?signature`? in `?thinking`? block|`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified)/;

/** An `error` event has no status; its type implies one. */
const STATUS_OF: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};
