/**
 * The outside services of the operations agent, in 100 lines, to try it: a monitoring that speaks MCP, and a service that carries
 * out runbooks and calls back when it is done. It needs Node 24 and nothing else:
 *
 *     node agents/samples/operations/outside.ts [port, 4810] [seconds that a restart takes, 30]
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface Outside extends AsyncDisposable {
  readonly port: number;
  /** Requested restarts, in order. */
  readonly restarts: readonly Restart[];
  /** Completes one now, and repeats the callback until it is accepted: its receiver may be away for a while. */
  finish(restart: Restart): Promise<void>;
}

export interface Restart {
  readonly service: string;
  readonly callbackUrl: string;
}

const input = { type: 'object', properties: { service: { type: 'string' } }, required: ['service'] };
const tools = [
  { name: 'list_alarms', description: 'All alarms that are on.', inputSchema: { type: 'object' } },
  { name: 'service_status', description: 'How a service is.', inputSchema: input },
  { name: 'delete_service', description: 'Deletes a service.', inputSchema: input },
];

/** @param restartMs how long a restart takes; then it calls back by itself, or never if this is Infinity */
export async function outside(port = 0, restartMs = Number.POSITIVE_INFINITY): Promise<Outside> {
  const over = new AbortController();
  const restarts: Restart[] = [];
  let up = false;

  const status = (service: string) =>
    service !== 'checkout'
      ? { service, state: 'up' }
      : up
        ? { service, state: 'up', since: 'its restart' }
        : { service, state: 'down', error: 'no connection left in the pool' };

  const call = (name: string, { service = '' }: { service?: string }) => {
    if (name === 'service_status') return status(service);
    return up ? [] : [{ alarm: 'checkout answers 5xx', service: 'checkout', since: '09:12' }];
  };

  /** One message of MCP (2025-11-25), answered without a session. Undefined if the message needs no answer. */
  const answer = (method: string, params: { name?: string; arguments?: object }): object | undefined => {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'monitor', version: '1' },
        };
      case 'tools/list':
        return { tools };
      case 'tools/call': {
        const said = call(params.name ?? '', params.arguments ?? {});
        return { content: [{ type: 'text', text: JSON.stringify(said) }] };
      }
      default:
        return undefined;
    }
  };

  async function finish({ service, callbackUrl }: Restart): Promise<void> {
    up = true;
    const body = JSON.stringify({ result: { service, restarted: true } });
    for (;;) {
      const told = await fetch(callbackUrl, { method: 'POST', body }).catch(() => undefined);
      if (told !== undefined && told.status < 500) return;
      await pause(1_000, undefined, { signal: over.signal });
    }
  }
  const finishLater = (restart: Restart) =>
    pause(restartMs, undefined, { signal: over.signal })
      .then(() => finish(restart))
      // It was stopped early.
      .catch(() => undefined);

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const send = (code: number, body?: object) => {
      response.writeHead(code, { 'content-type': 'application/json' });
      response.end(body && JSON.stringify(body));
    };
    if (request.method !== 'POST') return send(405);
    const sent = JSON.parse(Buffer.concat(chunks).toString());
    if (request.url === '/runbooks/restarts') {
      restarts.push(sent);
      if (Number.isFinite(restartMs)) void finishLater(sent);
      return send(202, { accepted: true });
    }
    const { id, method, params = {} } = sent;
    if (id === undefined) return send(202);
    const result = answer(method, params);
    if (!result) return send(400, { jsonrpc: '2.0', id, error: { code: -32601, message: `no ${method}` } });
    return send(200, { jsonrpc: '2.0', id, result });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    restarts,
    finish,
    async [Symbol.asyncDispose]() {
      over.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

if (import.meta.main) {
  const [port = '4810', seconds = '30'] = process.argv.slice(2);
  const started = await outside(Number(port), Number(seconds) * 1000);
  console.log(`monitoring and runbooks at http://127.0.0.1:${started.port}; a restart takes ${seconds} s`);
}
