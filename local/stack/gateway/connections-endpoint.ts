import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { WebSocket } from 'ws';
import { readBody } from '../read-body.ts';
import { callerOf, throughWire, type Wire, type WireResponse } from '../wire.ts';
import type { Connection, SocketLimits } from './connection.ts';

const OPERATIONS: Record<string, string> = {
  POST: 'PostToConnection',
  GET: 'GetConnection',
  DELETE: 'DeleteConnection',
};

/** Larger than any valid post, so that an oversized one still gets its proper answer. */
const READ_LIMIT_BYTES = 1024 * 1024;

/** Answers `POST|GET|DELETE /{stage}/@connections/{connectionId}`, the management API of a WebSocket API. */
export async function serveConnections(
  request: IncomingMessage,
  response: ServerResponse,
  find: (stage: string, connectionId: string) => Connection | undefined,
  limits: SocketLimits,
  wire: Wire | undefined,
): Promise<void> {
  const read = await readBody(request, READ_LIMIT_BYTES);
  const [stage = '', marker, connectionId] = pathSegments(request.url ?? '/');
  const operation = OPERATIONS[request.method ?? ''];
  if (read.kind === 'aborted') return void response.destroy();
  if (marker !== '@connections' || connectionId === undefined || operation === undefined) {
    return send(response, failure(403, 'ForbiddenException', 'Forbidden'));
  }
  const body = read.kind === 'read' ? read.bytes : undefined;
  const text = body?.toString() ?? '';
  const call = { service: 'connections', operation, body: text, by: callerOf(request) } as const;
  const answer = await throughWire(wire, call, async () =>
    carryOut(operation, body, find(stage, connectionId), limits),
  );
  if (answer === 'drop') return void response.destroy();
  send(response, answer);
}

function carryOut(
  operation: string,
  body: Buffer | undefined,
  connection: Connection | undefined,
  limits: SocketLimits,
): WireResponse {
  if (connection?.socket.readyState !== WebSocket.OPEN) return failure(410, 'GoneException', 'Gone');
  const { socket, facts } = connection;
  switch (operation) {
    case 'PostToConnection':
      if (body === undefined || body.length > limits.message) {
        return failure(413, 'PayloadTooLargeException', 'Message too long');
      }
      if (socket.bufferedAmount > limits.unsent) {
        return failure(429, 'LimitExceededException', 'The client does not read fast enough');
      }
      socket.send(body, { binary: false });
      connection.touch();
      return success(200, '');
    case 'GetConnection':
      return success(
        200,
        JSON.stringify({
          connectedAt: new Date(facts.connectedAt).toISOString(),
          identity: { sourceIp: facts.sourceIp, userAgent: facts.userAgent },
          lastActiveAt: new Date(connection.lastActiveAt).toISOString(),
        }),
      );
    default:
      socket.close(1000, 'Connection Closed Normally');
      return success(204, '');
  }
}

function pathSegments(url: string): string[] {
  const segments = (url.split('?')[0] ?? '').split('/').slice(1);
  return segments.map((segment) => {
    try {
      return decodeURIComponent(segment);
    } catch {
      return segment;
    }
  });
}

function success(status: number, body: string): WireResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
}

function failure(status: number, errorType: string, message: string): WireResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-amzn-errortype': errorType },
    body: Buffer.from(JSON.stringify({ message })),
  };
}

function send(response: ServerResponse, answer: WireResponse): void {
  response.writeHead(answer.status, {
    ...answer.headers,
    'x-amzn-requestid': randomUUID(),
    'content-length': answer.body.length,
  });
  response.end(answer.body);
}
