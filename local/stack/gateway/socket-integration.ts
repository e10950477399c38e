import type { LambdaFunction } from '../lambda/function.ts';
import type { Outcome } from '../lambda/protocol.ts';
import { isObject, type JsonObject } from '../template/types.ts';
import { type ConnectionFacts, type SocketHappening, toSocketEvent } from './socket-event.ts';

/** A route of a WebSocket API. `answers`: it has a RouteResponse, so the function's body goes back to the client. */
export interface SocketRoute {
  target: LambdaFunction;
  answers: boolean;
}

/** API Gateway's integration timeout for WebSocket APIs. */
const INTEGRATION_TIMEOUT_MS = 29_000;

/** The result of $connect: its HTTP status (no such route = admitted) and the subprotocol that it chose. */
export async function admission(
  route: SocketRoute | undefined,
  facts: ConnectionFacts,
  happening: SocketHappening,
): Promise<{ status: number; protocol?: string }> {
  if (!route) return { status: 200 };
  const outcome = await integrate(route, facts, happening);
  if (outcome.kind !== 'ok') return { status: 500 };
  const response = responseOf(outcome);
  const headers = isObject(response.headers) ? response.headers : {};
  const protocol = Object.entries(headers).find(
    ([name]) => name.toLowerCase() === 'sec-websocket-protocol',
  )?.[1];
  return {
    status: Number(response.statusCode ?? 502),
    ...(typeof protocol === 'string' ? { protocol } : {}),
  };
}

/** Invokes a route's function with the event. A late result counts as failed. Never rejects. */
export async function integrate(
  route: SocketRoute,
  facts: ConnectionFacts,
  happening: SocketHappening,
): Promise<Outcome> {
  const late = Promise.withResolvers<Outcome>();
  const timer = setTimeout(() => late.resolve({ kind: 'throttled' }), INTEGRATION_TIMEOUT_MS);
  const outcome = await Promise.race([
    route.target.invoke(toSocketEvent(facts, happening), 'refuse', { caller: callerOf(facts, happening) }),
    late.promise,
  ]);
  clearTimeout(timer);
  return outcome;
}

/** The object that a function returned; empty for anything else. */
export function responseOf(outcome: Extract<Outcome, { kind: 'ok' }>): JsonObject {
  const value: unknown = JSON.parse(outcome.result);
  return isObject(value) ? value : {};
}

/**
 * A connection is a caller, also while it opens: whose it is, is not known by then, and a flood of connections must not let all
 * others rest with it. The flood is slowed at its tickets, each of which is a request of its owner.
 */
function callerOf({ connectionId }: ConnectionFacts, { kind }: SocketHappening): string | undefined {
  switch (kind) {
    case 'connect':
    case 'message':
      return connectionId;
    case 'disconnect':
      return undefined;
  }
}
