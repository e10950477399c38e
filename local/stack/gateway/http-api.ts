import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { LambdaFunction } from '../lambda/function.ts';
import { endingOf, LOOPBACK, listen } from '../listen.ts';
import { readBody } from '../read-body.ts';
import { type CorsSettings, corsHeaders, preflightHeaders } from './cors.ts';
import { toHttpEvent } from './http-event.ts';
import { type HttpReply, messageReply, toHttpReply } from './http-response.ts';
import { type HttpRoute, matchRoute } from './routes.ts';

/** A listening HTTP API. It answers 503 until `opened` is set, because functions may not exist yet. */
export interface HttpApi {
  kind: 'http';
  id: string;
  port: number;
  opened: boolean;
  routes: HttpRoute<LambdaFunction>[];
  /** Refuses new connections; running requests continue. */
  close(): void;
  /** Ends what is left. */
  stop(): Promise<void>;
}

/** API Gateway's quota for HTTP API payloads: 10 MB. */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024;

/**
 * API Gateway's quota for the request line and the headers of HTTP APIs. Node answers more with 431; API Gateway's own status is
 * not documented.
 */
const HEAD_LIMIT_BYTES = 10_240;

/** API Gateway's fixed integration timeout for HTTP APIs. The function itself continues. */
const INTEGRATION_TIMEOUT_MS = 30_000;

/** Starts an HTTP API (its `$default` stage, so without a path prefix). Rejects when the port is taken. */
export async function startHttpApi(
  id: string,
  wantedPort: number,
  cors: CorsSettings | undefined,
): Promise<HttpApi> {
  const server = createServer({ maxHeaderSize: HEAD_LIMIT_BYTES }, (request, response) => {
    serve(api, cors, request, response).catch(() => {
      // A function's header that HTTP does not allow fails in writeHead; API Gateway answers 500.
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'application/json' });
      response.end('{"message":"Internal Server Error"}');
    });
  });
  const api: HttpApi = {
    kind: 'http',
    id,
    port: await listen(server, wantedPort, 'HTTP API'),
    opened: false,
    routes: [],
    ...endingOf(server),
  };
  return api;
}

async function serve(
  api: HttpApi,
  cors: CorsSettings | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reply = await replyTo(api, cors, request);
  if (reply === 'aborted') return void response.destroy();
  const extra = cors ? corsHeaders(cors, request.headers.origin) : {};
  response.writeHead(reply.status, { ...reply.headers, 'content-length': reply.body.length, ...extra });
  response.end(request.method === 'HEAD' ? undefined : reply.body);
}

async function replyTo(
  api: HttpApi,
  cors: CorsSettings | undefined,
  request: IncomingMessage,
): Promise<HttpReply | 'aborted'> {
  const body = await readBody(request, BODY_LIMIT_BYTES);
  if (body.kind === 'aborted') return 'aborted';
  if (!api.opened) return messageReply(503, 'Service Unavailable');
  if (body.kind === 'tooLarge') return messageReply(413, 'Request Entity Too Large');
  const { method = 'GET', url = '/' } = request;
  if (cors && method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
    return { status: 204, headers: preflightHeaders(cors, request.headers.origin), body: Buffer.alloc(0) };
  }
  const match = matchRoute(api.routes, method, url.split('?')[0] ?? '/');
  if (!match) return messageReply(404, 'Not Found');
  const event = toHttpEvent({
    apiId: api.id,
    stage: '$default',
    routeKey: match.route.key,
    pathParameters: match.pathParameters,
    method,
    url,
    httpVersion: request.httpVersion,
    rawHeaders: request.rawHeaders,
    body: body.bytes,
    requestId: randomUUID(),
    sourceIp: request.socket.remoteAddress ?? LOOPBACK,
    now: new Date(),
  });
  return integrate(match.route.target, event, request.headers.authorization);
}

async function integrate(
  target: LambdaFunction,
  event: object,
  caller: string | undefined,
): Promise<HttpReply> {
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), INTEGRATION_TIMEOUT_MS);
  const outcome = await Promise.race([target.invoke(event, 'refuse', { caller }), late.promise]);
  clearTimeout(timer);
  if (outcome === 'late') return messageReply(503, 'Service Unavailable');
  switch (outcome.kind) {
    case 'ok':
      return toHttpReply(outcome.result);
    case 'throttled':
      return messageReply(503, 'Service Unavailable');
    case 'tooLarge':
      return messageReply(413, 'Request Entity Too Large');
    case 'error':
    case 'timeout':
    case 'killed':
      return messageReply(500, 'Internal Server Error');
  }
}
