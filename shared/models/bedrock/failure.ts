import type { Answer, Dialect } from '../../agent/define/provider.ts';
import { own } from '../../agent/plain/merge.ts';
import { Answered, Unreachable } from '../common/answered.ts';
import { objectAt, stringAt } from '../common/json.ts';

/** Errors as Bedrock reports them (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html). */
export const bedrockErrors: Dialect = {
  answerOf(error): Answer | undefined {
    if (!(error instanceof Answered)) return undefined;
    const { answer } = error;
    // The model behind the API has failed, which passes: no other server has this status for it.
    return answer.status === 424 ? { ...answer, status: 502 } : answer;
  },
  isUnreachable: (error) => error instanceof Unreachable,
  statusOfEvent: (body) => own(STATUS_OF, typeIn(objectAt(body, 'error').type)) ?? 500,
  said({ status, body, headers }) {
    const { type, message: told } = objectAt(body, 'error');
    const code = typeIn(type ?? headers?.get('x-amzn-errortype')) || `http_${status}`;
    const message =
      typeof told === 'string' ? told : (stringAt(body, 'message') ?? stringAt(body, 'Message') ?? '');
    // The message asks to wait, but the wait may last until tomorrow.
    const account = /\btoo many tokens per day\b/i.test(message) || code === 'serviceQuotaExceededException';
    return { code, message, account, thinkingMismatch: MISMATCH.test(message) };
  },
};

/** The name of an error, which a header may follow with an address (`ThrottlingException:http://…`). Streams write it in lower case. */
function typeIn(told: unknown): string {
  const name = typeof told === 'string' ? (told.split(':')[0] ?? '') : '';
  return /^\w{1,64}$/.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : '';
}

/** Thinking that Claude refuses in its place, quoted by Bedrock ("The model returned the following errors: …"). */
const MISMATCH =
  /Invalid `?signature`? in `?thinking`? block|`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified|Expected `?thinking`? or `?redacted_thinking`?, but found/;

/** An exception in the middle of a stream has no status; its name implies one. */
const STATUS_OF: Readonly<Record<string, number>> = {
  validationException: 400,
  accessDeniedException: 403,
  resourceNotFoundException: 404,
  modelTimeoutException: 408,
  throttlingException: 429,
  modelNotReadyException: 429,
  internalServerException: 500,
  modelStreamErrorException: 502,
  modelErrorException: 502,
  serviceUnavailableException: 503,
};
