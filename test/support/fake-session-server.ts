/**
 * A server of one session as the browser client sees it: HTTP and WebSocket, scripted by a test. Its pushes and its log
 * are set separately, so that a test can lose either.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { Frame, SnapshotMessage } from '../../shared/contract/events.ts';
import type { Problem } from '../../shared/contract/http.ts';

export const token = 'test-token';
export const sessionId = 's1';

export async function fakeSessionServer() {
  const log: Frame[] = [];
  const messages: SnapshotMessage[] = [];
  const tickets = new Set<string>();
  const subscribes: { after: number }[] = [];
  const requests: string[] = [];
  let refusal: Problem | undefined;
  const server = createServer(answer);
  const sockets = new WebSocketServer({ noServer: true });

  server.on('upgrade', (request, socket, head) => {
    const ticket = new URL(request.url ?? '/', 'http://localhost').searchParams.get('ticket') ?? '';
    if (!tickets.delete(ticket)) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      client.on('message', (data) => {
        const message = JSON.parse(String(data)) as { action: string; sessionId: string; after: number };
        if (message.action !== 'subscribe') return;
        subscribes.push({ after: message.after });
        if (message.sessionId !== sessionId) {
          const problem = { type: 'about:blank', title: 'No such session', status: 404 };
          client.send(JSON.stringify({ type: 'error', sessionId: message.sessionId, problem }));
          return;
        }
        if (refusal) {
          client.send(JSON.stringify({ type: 'error', sessionId, problem: refusal }));
          return;
        }
        client.send(JSON.stringify({ type: 'subscribed', sessionId }));
      });
    });
  });

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const [status, body] = route(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  function route(request: IncomingMessage): [status: number, body: unknown] {
    const url = new URL(request.url ?? '/', 'http://localhost');
    requests.push(`${request.method} ${url.pathname}${url.search}`);
    if (request.headers.authorization !== `Bearer ${token}`) return problem(401, 'Unauthorized');
    if (url.pathname === '/tickets') {
      const ticket = crypto.randomUUID();
      tickets.add(ticket);
      return [201, { ticket, expiresAt: Date.now() + 60_000 }];
    }
    if (request.method === 'POST' && url.pathname === '/sessions')
      return [202, { sessionId, eventId: 'e1', duplicate: false }];
    if (url.pathname === `/sessions/${sessionId}/events`) {
      const frames = log.filter(({ seq }) => seq > Number(url.searchParams.get('after'))).slice(0, 3);
      return [200, { frames, next: frames.at(-1)?.seq ?? 0 }];
    }
    if (url.pathname === `/sessions/${sessionId}/messages`) return [200, { messages }];
    return problem(404, 'Not found');
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    httpUrl: `http://127.0.0.1:${port}`,
    socketUrl: `ws://127.0.0.1:${port}/live`,
    log,
    messages,
    subscribes,
    requests,
    push(...frames: Frame[]) {
      for (const client of sockets.clients) client.send(JSON.stringify({ sessionId, frames }));
    },
    say(text: string) {
      for (const client of sockets.clients) client.send(text);
    },
    /** Refuses every subscription from now on. */
    refuse(status: number, title: string) {
      refusal = problem(status, title)[1];
    },
    dropConnections() {
      for (const client of sockets.clients) client.terminate();
    },
    connections: () => sockets.clients.size,
    async close() {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const problem = (status: number, title: string): [number, Problem] => [
  status,
  { type: 'about:blank', title, status, detail: 'The fake server says so.' },
];
