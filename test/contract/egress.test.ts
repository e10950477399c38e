import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { guardedEgress } from '../../shared/egress/guarded.ts';
import { httpSend } from '../../shared/egress/send.ts';
import { wallClock } from '../../shared/wall-clock.ts';
import { memoryWorld } from '../../testing/memory-world.ts';
import { egressContract } from './egress.ts';

egressContract('memory', async (internet) => {
  const world = memoryWorld({ internet });
  return {
    egress: world.egress,
    origin: 'https://shop.example',
    pass: (ms) => world.clock.advance(ms),
    [Symbol.asyncDispose]: async () => undefined,
  };
});

egressContract('over HTTP', async (answer) => {
  const server = createServer(async (asked, response) => {
    const { method = 'GET', url = '/', headers } = asked;
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk);
    const {
      status,
      headers: told,
      body,
    } = await answer(
      new Request(new URL(url, `http://${headers.host}`), {
        method,
        headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      }),
    );
    response.writeHead(status, Object.fromEntries(told));
    if (body)
      Readable.fromWeb(body as never)
        .on('error', () => undefined)
        .pipe(response);
    else response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    egress: guardedEgress({ send: httpSend({ allowLoopback: true }), clock: wallClock, allowLoopback: true }),
    origin: `http://127.0.0.1:${port}`,
    pass: pause,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
});
