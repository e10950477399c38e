import { describe, expect, test } from 'vitest';
import type { Egress } from '../../shared/agent/ports/egress.ts';

/** An egress, and a server that it may reach. */
export interface Reachable extends AsyncDisposable {
  readonly egress: Egress;
  /** `scheme://host` of the server. */
  readonly origin: string;
  /** Lets time pass while a fetch hangs. */
  pass(ms: number): Promise<unknown>;
}

/** Opens an egress whose server gives this answer. */
export type OpenEgress = (answer: (request: Request) => Response | Promise<Response>) => Promise<Reachable>;

/** The contract of `Egress`. */
export function egressContract(name: string, open: OpenEgress): void {
  describe(`${name}: what tools fetch`, () => {
    test('returns status, headers and body, and the server gets what was sent', async () => {
      await using outside = await open(async (request) =>
        Response.json(
          {
            method: request.method,
            path: new URL(request.url).pathname,
            type: request.headers.get('content-type'),
            key: request.headers.get('x-key'),
            body: await request.text(),
          },
          { status: 201, headers: { 'x-told': 'yes' } },
        ),
      );
      const response = await outside.egress.fetch(`${outside.origin}/a%20b?c=d#e`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', 'x-key': 'k' },
        body: 'é',
      });
      expect([response.status, response.headers.get('x-told'), response.redirected]).toEqual([
        201,
        'yes',
        false,
      ]);
      expect(await response.json()).toEqual({
        method: 'POST',
        path: '/a%20b',
        type: 'text/plain',
        key: 'k',
        body: 'é',
      });
    });

    test.each([
      'http://169.254.169.254/latest/meta-data/',
      'http://[fd00:ec2::254]/latest/',
      'http://169.254.170.2/v2/credentials',
      'https://10.0.0.1/',
      'http://192.168.1.1/',
      'http://0x7f000001.local/',
      'http://metadata.google.internal/',
      'http://intranet/',
    ])('is never %s', async (url) => {
      await using outside = await open(() => new Response('secret'));
      await expect(outside.egress.fetch(url)).rejects.toThrow('must lead to a public address');
    });

    test.each([
      ['file:///etc/passwd', 'must start with'],
      ['data:text/plain,hi', 'must start with'],
      ['https://user:secret@example.com/', 'credentials'],
      ['not a url', 'URL'],
    ])('is not %s', async (url, why) => {
      await using outside = await open(() => new Response('x'));
      await expect(outside.egress.fetch(url)).rejects.toThrow(why);
    });

    test('follows a redirect, and reports where it ended', async () => {
      await using outside = await open(({ url, method }) =>
        new URL(url).pathname === '/from'
          ? new Response(null, { status: 302, headers: { location: '/to' } })
          : new Response(`${method} ${new URL(url).pathname}`),
      );
      const response = await outside.egress.fetch(`${outside.origin}/from`, { method: 'POST', body: 'x' });
      expect([response.url, response.redirected]).toEqual([`${outside.origin}/to`, true]);
      expect(await response.text()).toBe('GET /to');
    });

    test.each(['http://169.254.169.254/latest/', 'http://10.1.2.3/', 'file:///etc/passwd', 'http://['])(
      'does not follow a redirect to %s',
      async (location) => {
        await using outside = await open(() => new Response(null, { status: 307, headers: { location } }));
        await expect(outside.egress.fetch(outside.origin)).rejects.toThrow(/is not fetched|no URL/);
      },
    );

    test('sends credentials, in whatever header, to no other origin that a redirect leads to', async () => {
      const asked = {
        authorization: 'Bearer t',
        cookie: 'c=1',
        'x-api-key': 'k',
        'private-token': 'p',
        accept: 'text/plain',
        range: 'bytes=0-9',
      };
      const seen: Record<string, string | null>[] = [];
      await using outside = await open((request) => {
        seen.push(Object.fromEntries(Object.keys(asked).map((name) => [name, request.headers.get(name)])));
        const { hostname, port, pathname, protocol } = new URL(request.url);
        const other = hostname === '127.0.0.1' ? 'localhost' : 'other.example';
        const location = pathname === '/a' ? '/b' : `${protocol}//${other}${port ? `:${port}` : ''}/c`;
        return pathname === '/c'
          ? new Response('there')
          : new Response(null, { status: 307, headers: { location } });
      });
      const response = await outside.egress.fetch(`${outside.origin}/a`, { headers: asked });
      expect(await response.text()).toBe('there');
      const none = { authorization: null, cookie: null, 'x-api-key': null, 'private-token': null };
      expect(seen).toEqual([asked, asked, { ...asked, ...none }]);
    });

    test('gives up on a cycle of redirects', async () => {
      await using outside = await open(() => new Response(null, { status: 302, headers: { location: '/' } }));
      await expect(outside.egress.fetch(outside.origin)).rejects.toThrow('more than 5 redirects');
    });

    test('is cut off at the maximum size, whether or not the server announces the size', async () => {
      const endless = () =>
        new ReadableStream<Uint8Array>(
          { pull: (to) => to.enqueue(new Uint8Array(1_000)) },
          { highWaterMark: 0 },
        );
      await using outside = await open(({ url }) =>
        new URL(url).pathname === '/told'
          ? new Response('x'.repeat(2_000), { headers: { 'content-length': '2000' } })
          : new Response(endless()),
      );
      const most = { maxBytes: 1_500 };
      const read = async (path: string) => (await outside.egress.fetch(outside.origin + path, most)).text();
      await expect(read('/told')).rejects.toThrow('more than 1500 bytes');
      await expect(read('/endless')).rejects.toThrow('more than 1500 bytes');
    });

    test('ends when its time is over, before a response and in the middle of one', async () => {
      await using outside = await open(({ url }) =>
        new URL(url).pathname === '/never'
          ? new Promise<Response>(() => undefined)
          : new Response(new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode('one')) })),
      );
      for (const path of ['/never', '/half']) {
        const said = outside.egress
          .fetch(outside.origin + path, { timeoutSeconds: 0.3 })
          .then((response) => response.text())
          .then(String, (error: Error) => error.message);
        await outside.pass(400);
        expect(await said).toMatch('no whole answer within 0.3 s');
      }
    });

    test('ends with its signal', async () => {
      await using outside = await open(() => new Promise<Response>(() => undefined));
      const stop = new AbortController();
      const fetched = outside.egress.fetch(outside.origin, { signal: stop.signal });
      stop.abort(new Error('enough'));
      await expect(fetched).rejects.toThrow('enough');
    });

    test.each([
      { maxBytes: 60_000_000 },
      { timeoutSeconds: 3_600 },
      { maxBytes: 0 },
      { timeoutSeconds: Number.NaN },
    ])('has bounds that cannot be lifted: %j', async (init) => {
      await using outside = await open(() => new Response('x'));
      await expect(outside.egress.fetch(outside.origin, init)).rejects.toThrow('must be above 0 and at most');
    });
  });
}
