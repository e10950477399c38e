import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Access } from '../iam/access.ts';
import { standBefore } from '../iam/door.ts';
import { refuseRest } from '../iam/refusals.ts';
import { wantedOfConnections } from '../iam/wanted.ts';
import { closed, LOOPBACK, listen } from '../listen.ts';
import type { Wire } from '../wire.ts';
import {
  type Connection,
  newConnectionId,
  openConnection,
  SOCKET_LIMITS,
  type SocketLimits,
} from './connection.ts';
import { serveConnections } from './connections-endpoint.ts';
import { type ConnectionFacts, selectRoute } from './socket-event.ts';
import { admission, integrate, responseOf, type SocketRoute } from './socket-integration.ts';

/** A listening WebSocket API. It refuses connections until `opened` is set, because functions may not exist yet. */
export interface SocketApi {
  kind: 'socket';
  id: string;
  port: number;
  opened: boolean;
  stages: Set<string>;
  /** By route key: `$connect`, `$disconnect`, `$default`, or a value of the selection expression. */
  routes: Map<string, SocketRoute>;
  /** Refuses new connections, closes the open ones (1001) and starts their `$disconnect`. */
  close(): void;
  /** Ends what is left. */
  stop(): Promise<void>;
}

/** The parts of a WebSocket API. */
export interface SocketApiOptions {
  id: string;
  /** 0 = any free port. */
  port: number;
  /** For example `$request.body.action`. */
  routeSelection: string;
  wire: Wire | undefined;
  /** Access rules for posting to connections; undefined: every caller may. */
  access?: Access;
  limits?: SocketLimits;
}

/** Starts a WebSocket API and its `@connections` endpoint on one port. Rejects when the port is taken. */
export async function startSocketApi(options: SocketApiOptions): Promise<SocketApi> {
  const limits = options.limits ?? SOCKET_LIMITS;
  const connections = new Map<string, Connection>();
  const chosenProtocols = new WeakMap<IncomingMessage, string>();
  const find = (stage: string, id: string): Connection | undefined => {
    const found = connections.get(id);
    return found?.facts.stage === stage ? found : undefined;
  };
  const server = createServer(
    (request, response) => void serveConnections(request, response, find, limits, options.wire),
  );
  standBefore(server, {
    access: options.access,
    wantedBy: wantedOfConnections(options.id),
    serviceOf: () => 'execute-api',
    refuse: () => refuseRest,
  });
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.message,
    // API Gateway accepts a subprotocol only if $connect's response names one.
    handleProtocols: (_offered, request) => chosenProtocols.get(request) ?? false,
  });

  const connect = async (request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> => {
    stream.on('error', () => stream.destroy());
    const [path = '', search = ''] = (request.url ?? '/').split('?');
    const stage = path.split('/')[1] ?? '';
    if (!api.opened) return refuse(stream, 503);
    if (!api.stages.has(stage)) return refuse(stream, 403);
    const facts = factsOf(api, stage, request);
    const happening = {
      kind: 'connect',
      requestId: randomUUID(),
      rawHeaders: request.rawHeaders,
      search,
    } as const;
    const verdict = await admission(api.routes.get('$connect'), facts, happening);
    if (verdict.status < 200 || verdict.status > 299) return refuse(stream, verdict.status);
    if (stream.destroyed || !api.opened) {
      stream.destroy();
      return disconnect(facts, 1006, '');
    }
    if (verdict.protocol !== undefined) chosenProtocols.set(request, verdict.protocol);
    sockets.handleUpgrade(request, stream, head, (socket) => accept(facts, socket, stream));
  };
  const accept = (facts: ConnectionFacts, socket: WebSocket, stream: Duplex): void => {
    const connection = openConnection(facts, socket, stream, limits);
    connections.set(facts.connectionId, connection);
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => {
      if (connections.delete(facts.connectionId)) disconnect(facts, code, reason.toString());
    });
    socket.on('message', (data, binary) => {
      connection.touch();
      // A frame over the limit has started the closing; its message must not be delivered any more.
      if (socket.readyState === socket.OPEN) void deliver(connection, toBuffer(data), binary);
    });
  };
  const deliver = async ({ facts, socket }: Connection, data: Buffer, binary: boolean): Promise<void> => {
    const requestId = randomUUID();
    const routeKey = selectRoute(
      options.routeSelection,
      data,
      (key) => !key.startsWith('$c') && api.routes.has(key),
    );
    const route = api.routes.get(routeKey ?? '');
    const tell = (message: string): void =>
      socket.send(JSON.stringify({ message, connectionId: facts.connectionId, requestId }));
    if (routeKey === undefined || !route) return tell('Forbidden');
    const happening = {
      kind: 'message',
      requestId,
      messageId: newConnectionId(),
      routeKey,
      data,
      binary,
    } as const;
    const outcome = await integrate(route, facts, happening);
    if (outcome.kind !== 'ok') return tell('Internal server error');
    const body = responseOf(outcome).body;
    if (route.answers && typeof body === 'string') socket.send(body);
  };
  const disconnect = (facts: ConnectionFacts, code: number, reason: string): void => {
    const route = api.routes.get('$disconnect');
    if (route) void integrate(route, facts, { kind: 'disconnect', requestId: randomUUID(), code, reason });
  };

  server.on('upgrade', (request, stream, head) => void connect(request, stream, head));
  const api: SocketApi = {
    kind: 'socket',
    id: options.id,
    port: await listen(server, options.port, 'WebSocket API'),
    opened: false,
    stages: new Set(),
    routes: new Map(),
    close() {
      api.opened = false;
      server.close();
      for (const { facts, socket } of [...connections.values()]) {
        connections.delete(facts.connectionId);
        socket.close(1001, 'Going away');
        disconnect(facts, 1001, 'Going away');
      }
    },
    async stop() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await closed(server);
    },
  };
  return api;
}

function factsOf(api: SocketApi, stage: string, request: IncomingMessage): ConnectionFacts {
  return {
    connectionId: newConnectionId(),
    apiId: api.id,
    stage,
    domainName: `${LOOPBACK}:${api.port}`,
    connectedAt: Date.now(),
    sourceIp: request.socket.remoteAddress ?? LOOPBACK,
    userAgent: request.headers['user-agent'] ?? '',
  };
}

function refuse(stream: Duplex, status: number): void {
  const body = JSON.stringify({ message: STATUS_CODES[status] ?? 'Refused' });
  stream.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function toBuffer(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
