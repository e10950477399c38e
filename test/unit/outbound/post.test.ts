import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test } from 'vitest';
import { createPost } from '../../../shared/callbacks/post.ts';
import { callbackSecrets } from '../../../shared/callbacks/secrets.ts';
import { signedHeaders } from '../../../shared/callbacks/sign.ts';

const servers: { close(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

interface Got {
  readonly headers: IncomingMessage['headers'];
  readonly url?: string;
  readonly body: string;
}

/** A receiver on this machine, and the requests that it got. */
async function receiver(answer: (response: ServerResponse) => void) {
  const got: Got[] = [];
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    got.push({ headers: request.headers, url: request.url, body: Buffer.concat(chunks).toString() });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  const { port } = server.address() as AddressInfo;
  return { got, port, url: `http://127.0.0.1:${port}/hook` };
}

const post = createPost({ allowLoopback: true });
const parcel = (url: string) => ({ url, headers: { 'content-type': 'application/json' }, body: '{"é":1}' });

describe('a post', () => {
  test('sends the bytes, and reads only the status', async () => {
    const { url, got } = await receiver((response) => {
      response.writeHead(202, { 'retry-after': '7' }).write('x'.repeat(1_000_000));
    });
    expect(await post(parcel(url))).toEqual({ kind: 'answered', status: 202, retryAfterMs: 7000 });
    expect(got).toMatchObject([{ url: '/hook', body: '{"é":1}' }]);
    expect(got[0]?.headers).toMatchObject({ 'content-length': '8', 'content-type': 'application/json' });
  });

  test.each([
    [
      'a date, by the clock of the receiver',
      'Fri, 27 Nov 2026 06:02:00 GMT',
      'Fri, 27 Nov 2026 06:00:30 GMT',
      90_000,
    ],
    ['a date that has passed', 'Fri, 27 Nov 2026 06:00:00 GMT', 'Fri, 27 Nov 2026 06:00:30 GMT', 0],
    ['a date without digits', 'tomorrow', 'Fri, 27 Nov 2026 06:00:30 GMT', undefined],
    ['a date in a form that HTTP does not have', '2026-11-27', 'Fri, 27 Nov 2026 06:00:30 GMT', undefined],
    ['no real date', 'Fri, 99 Nov 2026 06:00:30 GMT', 'Fri, 27 Nov 2026 06:00:30 GMT', undefined],
    ['a negative number', '-5', 'Fri, 27 Nov 2026 06:00:30 GMT', undefined],
  ])('reads a Retry-After that is %s', async (_what, after, date, retryAfterMs) => {
    const { url } = await receiver((response) =>
      response.writeHead(503, { 'retry-after': after, date }).end(),
    );
    expect(await post(parcel(url))).toEqual({
      kind: 'answered',
      status: 503,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  });

  test('compares a date with our clock if the receiver does not say what time it has', async () => {
    const { url } = await receiver((response) => {
      response.sendDate = false;
      response.writeHead(503, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() }).end();
    });
    const answered = await post(parcel(url));
    expect(answered.kind === 'answered' ? answered.retryAfterMs : 0).toBeGreaterThan(55_000);
  });

  test('does not follow redirects, to the metadata service or anywhere', async () => {
    const inner = await receiver((response) => response.end());
    for (const location of [inner.url, 'http://169.254.169.254/latest/meta-data/']) {
      const { url } = await receiver((response) => response.writeHead(307, { location }).end());
      expect(await post(parcel(url))).toEqual({ kind: 'answered', status: 307 });
    }
    expect(inner.got).toEqual([]);
  });

  test('times out on a server that does not answer or never ends its headers', async () => {
    const quick = createPost({ allowLoopback: true, timeoutMs: 200 });
    const { url } = await receiver(() => undefined);
    expect(await quick(parcel(url))).toEqual({ kind: 'failed', code: 'timeout' });
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    const { port } = server.address() as AddressInfo;
    expect(await quick(parcel(`http://127.0.0.1:${port}/`))).toEqual({
      kind: 'failed',
      code: 'HPE_HEADER_OVERFLOW',
    });
  });

  test('reports a server that does not listen', async () => {
    const { url, port } = await receiver((response) => response.end());
    for (const server of servers.splice(0)) server.close();
    expect(port).toBeGreaterThan(0);
    expect(await post(parcel(url))).toEqual({ kind: 'failed', code: 'ECONNREFUSED' });
  });
});

describe('names', () => {
  const asked: string[] = [];
  /** A post whose names resolve as the test sets. */
  const leading = (...addresses: string[]) =>
    createPost({
      allowLoopback: true,
      timeoutMs: 2_000,
      resolve: async (hostname) => {
        asked.push(hostname);
        return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      },
    });

  test.each([
    ['this machine', ['127.0.0.1']],
    ['the metadata service', ['169.254.169.254']],
    ['the metadata service by IPv6', ['fd00:ec2::254']],
    ['a private network', ['10.0.0.5']],
    ['a v4-mapped address', ['::ffff:10.0.0.5']],
    ['a public address and a private one', ['8.8.8.8', '192.168.0.1']],
    ['nothing', []],
  ])(
    'a name that resolves to %s is not called, even though it is resolved at the last moment',
    async (_what, addresses) => {
      const { port, got } = await receiver((response) => response.end());
      const url = `https://hooks.example.com:${port}/`;
      expect(await leading(...addresses)(parcel(url))).toEqual({ kind: 'failed', code: 'address_refused' });
      expect(asked.at(-1)).toBe('hooks.example.com');
      expect(got).toEqual([]);
    },
  );

  test('localhost may be called on a laptop only', async () => {
    const { port, got } = await receiver((response) => response.end());
    const url = `http://localhost:${port}/`;
    expect(await leading('127.0.0.1')(parcel(url))).toMatchObject({ kind: 'answered', status: 200 });
    const deployed = createPost({ allowLoopback: false });
    for (const local of [url, `https://localhost:${port}/`, `https://127.0.0.1:${port}/`])
      expect(await deployed(parcel(local))).toEqual({ kind: 'failed', code: 'address_refused' });
    expect(got).toHaveLength(1);
  });

  test('the connection goes to the address that was checked: the name is resolved once', async () => {
    let times = 0;
    const { port, got } = await receiver((response) => response.end());
    const rebinding = createPost({
      allowLoopback: true,
      resolve: async () => {
        times += 1;
        return [{ address: times === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }];
      },
    });
    expect(await rebinding(parcel(`http://localhost:${port}/`))).toMatchObject({ status: 200 });
    expect(times).toBe(1);
    expect(got).toHaveLength(1);
  });

  test('a name that cannot be resolved is an ordinary failure', async () => {
    const lost = createPost({
      allowLoopback: false,
      resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
    });
    expect(await lost(parcel('https://absent.example.com/'))).toEqual({ kind: 'failed', code: 'ENOTFOUND' });
  });
});

describe('signatures', () => {
  const body = '{"type":"session.ended"}';
  const at = Date.now();

  test('verify with the library of the standard, with the tenant’s own secret', () => {
    const [secret = ''] = callbackSecrets('master', 'acme');
    const headers = signedHeaders('evt_s1_5', body, at, [secret]);
    expect(new Webhook(secret).verify(body, headers)).toEqual({ type: 'session.ended' });
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature');
    const [other = ''] = callbackSecrets('master', 'other');
    expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature');
  });

  test('while secrets are rotated, both the old and the new one verify', () => {
    const [fresh = '', old = ''] = callbackSecrets(' new\nold ', 'acme');
    expect(callbackSecrets('old', 'acme')).toEqual([old]);
    const headers = signedHeaders('evt_s1_5', body, at, [fresh, old]);
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const secret of [fresh, old]) expect(new Webhook(secret).verify(body, headers)).toBeDefined();
  });
});
