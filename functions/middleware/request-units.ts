import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { UploadBody } from '../../shared/contract/message.ts';
import type { HttpRoute } from '../../shared/contract/routes.ts';
import { unitsOfBytes } from './byte-units.ts';

type Asked = Pick<APIGatewayProxyEventV2, 'routeKey' | 'body'>;

/** A list, or another request that reads many items: it takes some tens of ms, and others some. */
const LIST = 10;
const lists =
  /^\w+ \/(sessions|schedules|memories|hooks\/dead)$|\/(import|export|steps|request|guards|forks|feedback|redrive|mcp|a2a\/\{agent\})$/;
/** It reads the steps of up to a hundred sessions. */
const HISTORY = { route: 'GET /history' satisfies HttpRoute, units: 100 };
/** `POST /sessions` starts one. (`POST /schedules` counts those that there are, as a list does.) */
const START: HttpRoute = 'POST /sessions';
/** Bytes of an announced upload that count like a request. They go to the bucket, and through no function. */
const UPLOADED = 1024 * 1024;

/** Routes that a tenant may always call: stopping a run is what ends a flood. */
export const isFree = ({ routeKey, body }: Asked): boolean =>
  routeKey === ('POST /sessions/{sessionId}/cancel' satisfies HttpRoute) ||
  (routeKey === ('POST /a2a/{agent}' satisfies HttpRoute) && cancels(body));

/** Whether a JSON-RPC request cancels a task, in the words of A2A 1.0 or 0.3. */
function cancels(body = ''): boolean {
  try {
    const { method } = JSON.parse(body) as { method?: unknown };
    return method === 'CancelTask' || method === 'tasks/cancel';
  } catch {
    return false;
  }
}

/** The units of a request in its tenant's limit, by its route and its body. */
export function unitsOf({ routeKey, body = '' }: Asked): number {
  const isList = lists.test(routeKey) && routeKey !== START;
  if (routeKey === HISTORY.route) return HISTORY.units;
  return (isList ? LIST : 1) + unitsOfBytes(body.length) + unitsOfUpload(routeKey, body);
}

function unitsOfUpload(routeKey: string, body: string): number {
  if (routeKey !== ('POST /uploads' satisfies HttpRoute)) return 0;
  try {
    return Math.floor(UploadBody.parse(JSON.parse(body)).bytes / UPLOADED);
  } catch {
    // Its route says what is wrong with it.
    return 0;
  }
}
