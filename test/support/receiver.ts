import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A callback that arrived. */
export interface Received {
  readonly id: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A server on this machine that takes callbacks. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** Resolves when `count` have arrived. Rejects after `seconds`. */
  atLeast(count: number, seconds?: number): Promise<readonly Received[]>;
}

/** @param statusOf the answer to the nth callback, from 1: a status, or one with a `location` */
export async function startReceiver(statusOf: (n: number) => number | string): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    received.push({ id: headers['webhook-id'] ?? '', headers, body: Buffer.concat(chunks).toString() });
    const answer = statusOf(received.length);
    if (typeof answer === 'string') response.writeHead(307, { location: answer }).end();
    else response.writeHead(answer).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    received,
    async atLeast(count, seconds = 60) {
      for (const end = Date.now() + seconds * 1000; Date.now() < end; await pause(50))
        if (received.length >= count) return received;
      throw new Error(`${received.length} callbacks after ${seconds} s, not ${count}`);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
