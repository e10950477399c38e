import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { SnapshotMessage } from '../../shared/contract/events.ts';
import type { Identity } from '../../shared/contract/identity.ts';
import type { Api, Repeatable } from '../../shared/doors/api.ts';
import { Refusal } from '../middleware/problem.ts';
import { addMessage, createSession } from '../routes/arrivals.ts';
import { type Route, type RouteContext, sessionKeyOf } from '../routes/context.ts';
import { postDecision } from '../routes/decisions.ts';
import { cancelRun, readEvents, readMessages, readSession } from '../routes/reads.ts';
import { requireSeen } from '../routes/seen.ts';
import { readWait } from '../routes/waits.ts';

/** Longest time in ms for which a request of a door waits for its run. API Gateway ends a request after 30 s. */
export const WAIT_MS = 20_000;

/** The API, as the doors of this function have it. */
export interface ApiOfRoutes extends Api {
  addMessage(
    sessionId: string,
    message: string,
    options?: Repeatable,
  ): Promise<{ readonly eventId: string; readonly duplicate: boolean }>;
  /** Messages of the slots from `from` up to `below`. */
  messages(sessionId: string, from?: number, below?: number): Promise<SnapshotMessage[]>;
  /** The first error of a call that is no answer to it: a failure, or a limit of requests. */
  failure(): unknown;
}

/** The API as the published client has it, with the caller's rights: it calls the routes themselves, without another request. */
export function apiOf(outer: APIGatewayProxyEventV2, caller: Identity, context: RouteContext): ApiOfRoutes {
  let failure: unknown;
  const call = async (
    route: Route,
    { session, wait, body, query, key }: Call,
    isSeen = true,
    // biome-ignore lint/suspicious/noExplicitAny: an answer has the shape of its route
  ): Promise<any> => {
    const event: APIGatewayProxyEventV2 = {
      ...outer,
      headers: { ...(key !== undefined && { 'idempotency-key': key }) },
      pathParameters: {
        ...(session !== undefined && { sessionId: session }),
        ...(wait !== undefined && { waitId: wait }),
      },
      queryStringParameters: { ...query },
      body: body === undefined ? '' : JSON.stringify(body),
      isBase64Encoded: false,
    };
    try {
      if (isSeen && session !== undefined) await requireSeen(sessionKeyOf(event, caller), caller, context.io);
      return JSON.parse((await route(event, caller, context)).body ?? 'null');
    } catch (error) {
      if (!(error instanceof Refusal) || error.problem.status === 429 || error.problem.status >= 500)
        failure ??= error;
      throw error;
    }
  };
  return {
    failure: () => failure,
    createSession: (body, { idempotencyKey: key } = {}) => call(createSession, { body, key }),
    addMessage: (session, message, { idempotencyKey: key } = {}) =>
      call(addMessage, { session, body: { message }, key }),
    session: (session) => call(readSession, { session }),
    async messages(session, first = 0, below = Number.POSITIVE_INFINITY) {
      const whole: SnapshotMessage[] = [];
      for (let from: string | undefined = String(first); from !== undefined; ) {
        const left = below - Number.parseInt(from, 10);
        if (left <= 0) break;
        const page = await call(readMessages, {
          session,
          query: { from, limit: String(Math.min(left, 200)) },
        });
        whole.push(...page.messages);
        from = page.next;
      }
      return whole;
    },
    events: (session, after) => call(readEvents, { session, query: { after: String(after) } }),
    // The agent says who may decide, and it does not matter who owns the session.
    wait: (session, wait) => call(readWait, { session, wait }, false),
    decide: (session, body) => call(postDecision, { session, body }, false),
    cancel: (session) => call(cancelRun, { session }),
    refusalOf: (error) =>
      error instanceof Refusal
        ? [error.problem.title, error.problem.detail].filter(Boolean).join(': ')
        : undefined,
  };
}

interface Call {
  readonly session?: string;
  readonly wait?: string;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  /** The request's Idempotency-Key. */
  readonly key?: string | undefined;
}
