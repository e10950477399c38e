import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { LambdaFunction } from '../lambda/function.ts';
import type { ResponseSink } from '../lambda/protocol.ts';
import { endingOf, LOOPBACK, listen } from '../listen.ts';
import { readBody } from '../read-body.ts';
import { type CorsSettings, corsHeaders, preflightHeaders } from './cors.ts';
import { toHttpEvent } from './http-event.ts';
import { type HttpReply, messageReply } from './http-response.ts';

/** The address of one function that streams its responses. It answers 503 until `opened` is set. */
export interface FunctionUrl {
  id: string;
  port: number;
  opened: boolean;
  /** Refuses new connections; running requests continue. */
  close(): void;
  /** Ends what is left. */
  stop(): Promise<void>;
}

export interface FunctionUrlSettings {
  id: string;
  /** 0 = any free one. */
  port: number;
  target: LambdaFunction;
  cors: CorsSettings | undefined;
}

/** Lambda's limit for an event: 6 MB. */
const BODY_LIMIT_BYTES = 6 * 1024 * 1024;

/**
 * Starts a function URL with the invoke mode RESPONSE_STREAM. As on AWS, a client that leaves does not stop the
 * function. Rejects when the port is taken.
 */
export async function startFunctionUrl(settings: FunctionUrlSettings): Promise<FunctionUrl> {
  const server = createServer((request, response) => {
    serve(url, settings, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(502, { 'content-type': 'application/json' });
      response.end();
    });
  });
  const url: FunctionUrl = {
    id: settings.id,
    port: await listen(server, settings.port, 'function URL'),
    opened: false,
    ...endingOf(server),
  };
  return url;
}

async function serve(
  url: FunctionUrl,
  { id, target, cors }: FunctionUrlSettings,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const extra = cors ? corsHeaders(cors, request.headers.origin) : {};
  const body = await readBody(request, BODY_LIMIT_BYTES);
  if (body.kind === 'aborted') return void response.destroy();
  if (!url.opened) return reply(response, messageReply(503, 'Service Unavailable'), extra);
  if (body.kind === 'tooLarge') return reply(response, messageReply(413, 'Request Entity Too Large'), extra);
  if (
    cors &&
    request.method === 'OPTIONS' &&
    request.headers['access-control-request-method'] !== undefined
  ) {
    response.writeHead(200, preflightHeaders(cors, request.headers.origin)).end();
    return;
  }
  const event = toHttpEvent({
    apiId: id,
    stage: '$default',
    routeKey: '$default',
    pathParameters: {},
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    httpVersion: request.httpVersion,
    rawHeaders: request.rawHeaders,
    body: body.bytes,
    requestId: randomUUID(),
    sourceIp: request.socket.remoteAddress ?? LOOPBACK,
    now: new Date(),
  });
  const caller = request.headers.authorization;
  const outcome = await target.invoke(event, 'refuse', { sink: sinkOf(response, extra), caller });
  if (outcome.kind === 'ok') return void response.end();
  if (outcome.kind === 'throttled') return reply(response, messageReply(429, 'Rate Exceeded.'), extra);
  // A response that has begun can only be cut. The client notices it by the missing end of the chunked body.
  if (response.headersSent) return void response.destroy();
  reply(response, messageReply(502, 'Internal Server Error'), extra);
}

function sinkOf(response: ServerResponse, extra: Record<string, string>): ResponseSink {
  const begin = (status: number, headers: Record<string, string | string[]>) => {
    response.writeHead(status, { ...headers, ...extra });
    response.flushHeaders();
  };
  return {
    head: ({ statusCode, headers, cookies }) =>
      begin(statusCode, { ...headers, ...(cookies.length > 0 && { 'set-cookie': cookies }) }),
    piece(bytes) {
      if (!response.headersSent) begin(200, { 'content-type': 'application/octet-stream' });
      response.write(bytes);
    },
  };
}

function reply(
  response: ServerResponse,
  { status, headers, body }: HttpReply,
  extra: Record<string, string>,
) {
  response.writeHead(status, { ...headers, ...extra }).end(body);
}
