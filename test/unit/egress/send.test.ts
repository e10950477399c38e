import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { guardedEgress } from '../../../shared/egress/guarded.ts';
import type { Resolve } from '../../../shared/egress/lookup.ts';
import { httpSend } from '../../../shared/egress/send.ts';
import { wallClock } from '../../../shared/wall-clock.ts';

const servers: { close(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const egress = (allowLoopback: boolean, resolve?: Resolve) =>
  guardedEgress({ send: httpSend({ allowLoopback, resolve }), clock: wallClock, allowLoopback });

describe("a tool's fetch", () => {
  test.each([
    [['127.0.0.1']],
    [['169.254.169.254']],
    [['10.0.0.7']],
    [['::1']],
    [['fd00:ec2::254']],
    [['93.184.216.34', '10.0.0.7']],
  ])('refuses a name that resolves to %j', async (addresses) => {
    const resolve = vi.fn<Resolve>(async () =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
    for (const url of ['http://rebound.example/', 'https://rebound.example/'])
      await expect(egress(false, resolve).fetch(url)).rejects.toThrow('an address that is not public');
    expect(resolve).toHaveBeenCalledTimes(2);
  });

  test('refuses this machine, except on a laptop', async () => {
    const { url } = await serving((_, response) => response.end('hello'));
    await expect(egress(false).fetch(url)).rejects.toThrow('public address');
    expect(await (await egress(true).fetch(url)).text()).toBe('hello');
  });

  test.each(['gzip', 'deflate', 'br'])('explains invalid %s content', async (encoding) => {
    const { url } = await serving((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end('plain words, and not a few of them');
    });
    const response = await egress(true).fetch(url);
    await expect(response.text()).rejects.toThrow('not packed as its content-encoding says');
  });

  test('unpacks the body, and counts its unpacked size', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const { url } = await serving((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bomb.length }).end(bomb);
    });
    expect(bomb.length).toBeLessThan(50_000);
    const response = await egress(true).fetch(url, { maxBytes: 100_000 });
    await expect(response.arrayBuffer()).rejects.toThrow('more than 100000 bytes');
    const whole = await (await egress(true).fetch(url, { maxBytes: 30_000_000 })).arrayBuffer();
    expect(whole.byteLength).toBe(20_000_000);
  });

  test('lets only us set the framing headers', async () => {
    const { url, port } = await serving((request, response) => response.end(JSON.stringify(request.headers)));
    const headers = {
      host: 'other.example',
      'transfer-encoding': 'chunked',
      upgrade: 'h2c',
      'x-mine': 'yes',
    };
    const got = await (await egress(true).fetch(url, { headers })).json();
    expect(got).toMatchObject({ host: `127.0.0.1:${port}`, 'x-mine': 'yes', 'user-agent': 'steploop' });
    expect(got).not.toHaveProperty('transfer-encoding');
    expect(got).not.toHaveProperty('upgrade');
  });

  test('returns all cookies that a server sets', async () => {
    const { url } = await serving((_, response) => {
      response
        .writeHead(
          204,
          [
            ['set-cookie', 'a=1'],
            ['set-cookie', 'b=2'],
          ].flat(),
        )
        .end();
    });
    const response = await egress(true).fetch(url);
    expect([response.status, response.headers.getSetCookie()]).toEqual([204, ['a=1', 'b=2']]);
  });

  test('leaves no connection open if there is nothing to read', async () => {
    const closed = vi.fn();
    const { url } = await serving((request, response) => {
      request.socket.on('close', closed);
      response.writeHead(200, { 'content-length': 5 });
      if (request.method === 'HEAD') response.end();
      else response.write('x');
    });
    const response = await egress(true).fetch(url, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  });

  test.each([
    [
      'is redirected without a target',
      (response: ServerResponse) => response.writeHead(302, { location: 'http://[' }),
    ],
    ['has an unknown status', (response: ServerResponse) => response.writeHead(799)],
    ['is too large', (response: ServerResponse) => response.writeHead(200, { 'content-length': 9_000_000 })],
  ])('closes the connection when it %s', async (_, begin) => {
    const closed = Promise.withResolvers<string>();
    const { url } = await serving((_, response) => {
      response.on('close', () => closed.resolve('closed'));
      begin(response).write('and so on');
    });
    await expect(egress(true).fetch(url)).rejects.toThrow();
    expect(await Promise.race([closed.promise, pause(5_000, 'open')])).toBe('closed');
  });

  test('reports a server that does not answer, or answers with invalid HTTP', async () => {
    const { url, close } = await serving((request) => request.socket.end('nonsense\r\n\r\n'));
    await expect(egress(true).fetch(url)).rejects.toThrow(/Parse Error|hang up/);
    close();
    await expect(egress(true).fetch(url)).rejects.toThrow('ECONNREFUSED');
  });
});

async function serving(answer: Parameters<typeof createServer>[1]) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  servers.push({ close });
  return { url: `http://127.0.0.1:${port}/`, port, close };
}
