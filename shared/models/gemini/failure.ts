import type { Answer, Dialect } from '../../agent/define/provider.ts';
import { Answered, Unreachable } from '../common/answered.ts';
import { codeAt } from '../common/failure.ts';
import { isObject, type Json, objectAt, stringAt } from '../common/json.ts';

/** Errors as Gemini's API reports them (ai.google.dev/gemini-api/docs/troubleshooting, google.aip.dev/193). */
export const geminiErrors: Dialect = {
  answerOf(error): Answer | undefined {
    if (!(error instanceof Answered)) return undefined;
    const { status, body, headers } = error.answer;
    const told = objectAt(body, 'error');
    return { status: statusOf(status, told), body, headers: withWait(headers, told) };
  },
  isUnreachable: (error) => error instanceof Unreachable,
  statusOfEvent(body) {
    const told = objectAt(body, 'error');
    const { code } = told;
    return typeof code === 'number' && code >= 400 && code < 600 ? statusOf(code, told) : 500;
  },
  said({ status, body }) {
    const told = objectAt(body, 'error');
    const message = stringAt(told, 'message') ?? '';
    return {
      code: reasonIn(told) ?? codeAt(told, 'status') ?? `http_${status}`,
      message,
      account: isOfAccount(told, message),
      thinkingMismatch: status === 400 && SIGNATURE.test(message),
      ...(PAYLOAD.test(message) && { tooLong: {} }),
    };
  },
};

/** The details of an error that have this type. */
const detailsIn = ({ details }: Json, type: string): Json[] =>
  (Array.isArray(details) ? details : [])
    .filter(isObject)
    .filter((detail) => stringAt(detail, '@type')?.endsWith(`google.rpc.${type}`));

const reasonIn = (told: Json): string | undefined =>
  detailsIn(told, 'ErrorInfo').flatMap((detail) => codeAt(detail, 'reason') ?? [])[0];

/**
 * The status that other servers have for an error. An invalid key is a 400 here (google-gemini/gemini-cli#25198), and a
 * request that the server has given up by itself is a 499 (google-gemini/gemini-cli#20309).
 */
function statusOf(status: number, told: Json): number {
  if (reasonIn(told) === 'API_KEY_INVALID') return 401;
  return status === 499 ? 503 : status;
}

/** The headers, with the wait that `RetryInfo` asks for: `"retryDelay": "34.4s"` (vercel/ai, `google-429-retry-info.json`). */
function withWait(headers: Headers | undefined, told: Json): Headers | undefined {
  const delay = detailsIn(told, 'RetryInfo').flatMap((detail) => stringAt(detail, 'retryDelay') ?? [])[0];
  const seconds = /^(\d{1,7}(?:\.\d{1,9})?)s$/.exec(delay ?? '')?.[1];
  if (seconds === undefined) return headers;
  const known = new Headers(headers);
  known.set('retry-after-ms', String(Math.ceil(Number(seconds) * 1_000)));
  return known;
}

/**
 * Whether only the owner of the account can help: the region or the billing (`FAILED_PRECONDITION`), spent credits
 * (JeffOtano/roni#125), and a quota of 0. A spent quota of the day waits as long as the server asks, because it often frees
 * room within a minute (diegosouzapw/OmniRoute#9504); without a wait, nothing does before tomorrow.
 */
function isOfAccount(told: Json, message: string): boolean {
  if (told.status === 'FAILED_PRECONDITION') return true;
  if (told.status !== 'RESOURCE_EXHAUSTED') return false;
  return SPENT.test(message) || (isOfDay(told) && detailsIn(told, 'RetryInfo').length === 0);
}

const SPENT = /\bcredits are depleted\b|\bspend(?:ing)? cap\b|\blimit: 0\b/i;

const isOfDay = (told: Json): boolean =>
  detailsIn(told, 'QuotaFailure').some(({ violations }) =>
    (Array.isArray(violations) ? violations : []).some(
      (one) => isObject(one) && /PerDay/.test(String(one.quotaId)),
    ),
  );

/** Signatures that are missing, corrupted, or of another model (platberlitz/SillyBunny#647, vertesia/llumiverse#470). */
const SIGNATURE = /\bthought_?\s?signature/i;

/** A body over the limit in bytes. */
const PAYLOAD = /^Request payload size exceeds the limit/i;
