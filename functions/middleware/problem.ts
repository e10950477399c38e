import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type * as z from 'zod';
import { errorFacts, log } from '../../shared/aws/logger.ts';
import type { Problem } from '../../shared/contract/http.ts';

/** An error that is an HTTP answer: throw it anywhere in a route. */
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

/** Turns what a route throws into an RFC 9457 problem document. Unknown errors say nothing of themselves. */
export const problems = (): MiddlewareObj<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2> => ({
  onError: (request) => {
    const { error, event } = request;
    if (error instanceof Refusal) {
      request.response = problemResponse(error.problem, error.headers);
      return;
    }
    const apiRequestId = event.requestContext?.requestId;
    log('error', 'a route failed', { route: event.routeKey, apiRequestId, ...errorFacts(error) });
    request.response = problemResponse({
      type: 'about:blank',
      title: 'Internal error',
      status: 500,
      detail: `Try again. If it goes on, look for request ${apiRequestId} in the log.`,
    });
  },
});

export function problemResponse(problem: Problem, headers: Readonly<Record<string, string>> = {}) {
  return {
    statusCode: problem.status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify(problem),
  };
}

/** The problem of input that fails its schema: what is wrong and where. */
export function invalid(error: z.ZodError, what: string): Refusal {
  return new Refusal(400, `Invalid ${what}`, {
    detail: 'Correct what is listed and send it again.',
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
