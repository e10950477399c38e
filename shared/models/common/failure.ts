import { type Answer, type Dialect, type Fault, StreamFault } from '../../agent/define/provider.ts';
import { defined } from '../../agent/plain/defined.ts';
import type { Failure } from '../../agent/session/reply.ts';
import { type RedirectFault, redirectIn } from './fetch.ts';
import { isObject, type Json, stringAt } from './json.ts';
import { type Exchange, safeCode, safeDetail } from './redact.ts';

/** There is no usable key. */
export class KeyFault extends Error {
  readonly code: 'invalid_key' | 'key_unavailable';
  constructor(code: KeyFault['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** A request that its server would refuse, and that is not made. */
export class RequestFault extends Error {
  readonly code: 'too_many_tools';
  constructor(code: RequestFault['code'], message: string) {
    super(message);
    this.code = code;
  }
}

export const stalledStream = (idleMs: number): StreamFault => new StreamFault({ kind: 'stalled', idleMs });

/** A body that ended early. If no event of a message came, it was something else, such as HTML. */
export const brokenStream = (begun: boolean): StreamFault =>
  new StreamFault({ kind: begun ? 'broken' : 'malformed' });

/**
 * Classifies what a call threw by who must act on it. Its message goes to logs and to people who did not write the
 * prompt, so it contains neither key nor prompt text.
 */
export async function toFailure(error: unknown, exchange: Exchange, dialect: Dialect): Promise<Failure> {
  if (error instanceof StreamFault) return ofFault(error.fault, exchange, dialect);
  if (error instanceof KeyFault) return ofKey(error);
  if (error instanceof RequestFault) return { kind: 'fatal', code: error.code, message: error.message };
  const redirect = redirectIn(error);
  if (redirect) return ofRedirect(redirect);
  if (dialect.isUnreachable(error)) {
    return retry('connection_error', `No connection to the model server${causeOf(error)}.`);
  }
  const answer = dialect.answerOf(error);
  if (answer) return ofAnswer(answer, exchange, dialect);
  const name = error instanceof Error ? error.name : typeof error;
  return { kind: 'fatal', code: 'client_error', message: `The request could not be made (${name}).` };
}

async function ofFault(fault: Fault, exchange: Exchange, dialect: Dialect): Promise<Failure> {
  switch (fault.kind) {
    case 'error_event': {
      const { body } = fault;
      return ofAnswer({ status: dialect.statusOfEvent(body), body, headers: undefined }, exchange, dialect);
    }
    case 'malformed':
      return retry(
        'malformed_reply',
        'The model server answered with something that is not a message stream.',
      );
    case 'broken':
      return retry('stream_broken', 'The stream ended before the message did.');
    case 'stalled':
      return retry('stream_stalled', `The model server said nothing for ${fault.idleMs} ms.`);
    default:
      return fault satisfies never;
  }
}

/** The model was not asked, and the address is the deployment's to fix: another model may answer. */
function ofRedirect({ target }: RedirectFault): Failure {
  const where = target === undefined ? 'elsewhere' : `to ${target}`;
  const message = `The model server redirects ${where}, which is not followed. If that is right, set the server's base URL to it.`;
  return { kind: 'account', code: 'redirected', message };
}

function ofKey({ code, message }: KeyFault): Failure {
  switch (code) {
    case 'invalid_key':
      return { kind: 'account', code, message };
    case 'key_unavailable':
      return retry(code, message);
    default:
      return code satisfies never;
  }
}

async function ofAnswer(answer: Answer, exchange: Exchange, dialect: Dialect): Promise<Failure> {
  const { status, headers } = answer;
  const {
    account,
    message: words,
    tooLong: told,
    thinkingMismatch,
    rule,
    ...answered
  } = dialect.said(answer);
  const code = safeCode(answered.code, status, exchange);
  const said = safeDetail(words, exchange);
  const message = `The model server answered ${status} ${code}${said && `: ${said}`}`;

  if (account || status === 401 || status === 402 || status === 403) {
    return { kind: 'account', code, message };
  }
  // Checked before the status: gateways report these as a 429 or a 5xx, and waiting does not help.
  if (thinkingMismatch) return { kind: 'thinking_mismatch', code, message };
  // Loaded only here, since ordinary steps get no such answer.
  const { tooLongOf } = await import('./too-long.ts');
  const tooLong = told ?? tooLongOf(answered.code, words) ?? (status === CONTENT_TOO_LARGE ? {} : undefined);
  if (tooLong) return { kind: 'too_long', code: 'context_limit', message, ...tooLong };
  if (isTransient(status, headers)) {
    const retryAfterMs = retryAfter(headers, exchange.now);
    return {
      ...retry(code, message),
      rateLimited: status === 429,
      ...defined({ retryAfterMs }),
    };
  }
  const { isFiltered, isOfAccount, malformedOf, refusedDeclaration } = await import('./malformed.ts');
  if (isOfAccount(words)) return { kind: 'account', code, message };
  if (isFiltered(answered.code, words)) return { kind: 'fatal', code, message, filtered: true };
  const error = isObject(answer.body.error) ? answer.body.error : {};
  const param = stringAt(error, 'param');
  const tool = refusedDeclaration(status, words, param);
  const malformed = tool ? undefined : malformedOf(status, words, param);
  return {
    kind: 'fatal',
    code,
    message,
    ...defined({ rule, malformed, tool }),
  };
}

/** A server or a proxy rejected the body without reading it. */
const CONTENT_TOO_LARGE = 413;

/**
 * A 5xx may also come from a proxy in between, 501 among them: it is not a lasting statement about the server. A
 * conflict passes, unless its server says that it does not.
 */
function isTransient(status: number, headers: Headers | undefined): boolean {
  if (status === 409) return headers?.get('x-should-retry') !== 'false';
  return status === 408 || status === 429 || status >= 500;
}

/** Longest wait in ms that a server can ask for: a day. Quotas of a day are the longest that model servers have. */
const MOST_MS = 24 * 3_600_000;
/** From this number on, seconds are a moment since 1970 (September 2001), and from a thousand times that on, they are its ms. */
const EPOCH_SECONDS = 1e9;

/** The wait that the server asks for: `retry-after-ms`, or `retry-after` in seconds, as a date, or as a moment since 1970. */
function retryAfter(headers: Headers | undefined, now: number): number | undefined {
  const ms = numberIn(headers?.get('retry-after-ms'));
  const asked = ms ?? secondsOrDate(headers?.get('retry-after') ?? '', now);
  return asked === undefined ? undefined : Math.min(Math.ceil(asked), MOST_MS);
}

function secondsOrDate(after: string, now: number): number | undefined {
  const seconds = numberIn(after);
  if (seconds === undefined) {
    const date = /[a-z]/i.test(after) ? Date.parse(after) : Number.NaN;
    return Number.isNaN(date) ? undefined : Math.max(0, date - now);
  }
  if (seconds < EPOCH_SECONDS) return seconds * 1000;
  return Math.max(0, (seconds < EPOCH_SECONDS * 1000 ? seconds * 1000 : seconds) - now);
}

/** Digits, with a fraction or without; undefined for anything else, such as a sign or an exponent. */
const numberIn = (text: string | null | undefined): number | undefined =>
  text && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;

function retry(code: string, message: string): Extract<Failure, { kind: 'retry' }> {
  return { kind: 'retry', code, message, rateLimited: false };
}

/** An identifier of the API; anything longer or stranger is not shown. */
export function codeAt(holder: Json, key: string): string | undefined {
  const code = stringAt(holder, key);
  return code !== undefined && /^[\w.-]{1,64}$/.test(code) ? code : undefined;
}

/** The system's code for the failure, such as ECONNREFUSED, from the causes of the error. */
function causeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return ` (${at.code})`;
  }
  return '';
}
