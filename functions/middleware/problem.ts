import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type * as z from 'zod';
import { TenantKeyDeleted } from '../../shared/agent/plain/tenant-key-deleted.ts';
import { UnusableFacts } from '../../shared/agent/plain/unusable-facts.ts';
import type { Problem } from '../../shared/contract/http.ts';
import type { IsOutage } from '../../shared/edge/outage.ts';
import { errorFacts, type Facts, log } from '../../shared/logger.ts';
import { isOutOfTime, RESERVE_MS } from './in-time.ts';

/** An error that is an HTTP answer. Any code of a route may throw it. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    title: string,
    more: Partial<Problem> = {},
    headers: Record<string, string> = {},
  ) {
    super(title);
    this.problem = { type: 'about:blank', title, status, ...more };
    this.headers = headers;
  }
}

/** Makes middy answer each request of an API before its function is killed. */
export const answerInTime = { timeoutEarlyInMillis: RESERVE_MS };

/** Turns errors of a route into RFC 9457 problem documents. */
export const problems = (
  isOutage: IsOutage,
): MiddlewareObj<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2> => ({
  onError: (request) => {
    const { error, event } = request;
    const apiRequestId = event.requestContext?.requestId;
    const facts = { route: event.routeKey, apiRequestId };
    const { problem, headers } = toRefusal(error, apiRequestId, facts, isOutage);
    request.response = problemResponse(problem, headers);
  },
});

/**
 * The answer for an error. An error that is not a Refusal is logged, and the answer does not describe it.
 *
 * @param requestId finds the error in the log
 */
export function toRefusal(
  error: unknown,
  requestId: string | undefined,
  facts: Facts,
  isOutage: IsOutage,
): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof TenantKeyDeleted) return new Refusal(410, 'Key deleted', { detail: error.message });
  if (error instanceof UnusableFacts) {
    log('error', 'functions of an agent kept a session from beginning', {
      ...facts,
      ...errorFacts(error.cause ?? error),
    });
    return new Refusal(422, 'Session cannot begin', { detail: error.message });
  }
  const told = { ...facts, ...errorFacts(error) };
  if (isOutOfTime(error) || isOutage(error)) {
    log('error', 'a service could not be reached', told);
    return unavailable();
  }
  log('error', 'a route failed', told);
  const detail = `Try again. If it continues, look for request ${requestId} in the log.`;
  return new Refusal(500, 'Internal error', { detail });
}

/** Seconds after which a client may retry: throttling ends in seconds, an outage in minutes. */
const RETRY_AFTER_S = 5;

/** Whatever was accepted before the outage stays: the sweeper wakes its session, and a retry with its idempotency key changes nothing. */
const unavailable = (): Refusal =>
  new Refusal(
    503,
    'Service unavailable',
    {
      detail: `A service that this one needs does not answer. Send the request again in ${RETRY_AFTER_S} s. With the same Idempotency-Key it counts once, even if this one was accepted.`,
    },
    { 'retry-after': String(RETRY_AFTER_S) },
  );

export function problemResponse(problem: Problem, headers: Readonly<Record<string, string>> = {}) {
  return {
    statusCode: problem.status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify(problem),
  };
}

/** The problem document of input that fails its schema: it says what is wrong and where. */
export function invalid(error: z.ZodError, what: string): Refusal {
  return new Refusal(400, `Invalid ${what}`, {
    detail: 'Correct the listed fields and send it again.',
    errors: error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
  });
}

/** Parses outside input, or refuses it with 400. */
export function parseOr400<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalid(parsed.error, what);
  return parsed.data;
}
