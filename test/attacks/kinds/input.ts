import { describe, expect, test } from 'vitest';
import * as contract from '../../../shared/contract/routes.ts';
import { attempt } from '../attempts.ts';
import { bodies as goodBodies, queries } from '../routes.ts';
import { type Raw, raw, type Target } from '../target.ts';

/** Names that every plain object has a value for. */
const prototypes = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
] as const;

const deep = '['.repeat(50_000) + ']'.repeat(50_000);
const bodies: readonly [what: string, body: string][] = [
  ['null', 'null'],
  ['a list', '[]'],
  ['a text', '"x"'],
  ['half of a JSON text', '{"message":'],
  ['a deep nesting', `{"message":${deep},"messages":${deep}}`],
  ['the wrong types', '{"agent":7,"message":{},"messages":{},"id":[],"name":{},"slot":-1,"threadId":[]}'],
  ['half a character and a zero byte', '{"\\ud800":"\\u0000"}'],
  ['a prototype', '{"__proto__":{"agent":"worker","message":"x"},"constructor":{"prototype":{}}}'],
  ['too large numbers', '{"slot":1e400,"after":99999999999999999999,"stepsPerDay":-1}'],
];

/** Routes that read a body, each with ids of nothing. */
const withBody = [...contract.httpRoutes, ...contract.aguiRoutes, ...contract.chatRoutes].filter(
  (route) =>
    /^(?:POST|PUT|PATCH) /.test(route) &&
    !/\/(?:tickets|cancel|wrap-up|retry|redrive|revoke|stop)$/.test(route),
);

/** Ids that would lead elsewhere if they became a part of a path or of a key. */
const elsewhere: readonly string[] = [
  '..%2f..%2fetc%2fpasswd',
  '%2e%2e%2f%2e%2e%2fconfig',
  '..%5c..%5cwindows',
  'x%2f..%2fy',
  '%00',
  'x%00y',
  'acme%23s1',
  'x%23HEAD',
  '%23',
  '%2a',
  '%25',
  '%F0%9F%92%A9',
  'a%20b',
  'x'.repeat(129),
  "x'%20OR%201=1",
  '$%7Bjndi:x%7D',
];

export function input(it: () => Target): void {
  /** One token for all requests: signing another for each takes longer than some of the answers. */
  let admin: Promise<string> | undefined;
  const send = async (
    route: string,
    { path = route, body }: { path?: string; body?: string } = {},
  ): Promise<Raw> => {
    const { outputs } = it().world.stack;
    const base = /^\S+ \/(?:agui|chat)/.test(route) ? outputs.AguiUrl : outputs.HttpUrl;
    admin ??= it().idp.token({ sub: 'root', roles: ['steploop-admin'] });
    const headers = {
      authorization: `Bearer ${await admin}`,
      'content-type': 'application/json',
    };
    const [method = '', where = ''] = path.split(' ');
    return raw(base, method, where, { headers, ...(body !== undefined && { body }) });
  };
  const named = (route: string, id: string) => route.replaceAll(/\{\w+\}/g, id);

  describe.each(bodies)('a body that is %s', (_what, body) => {
    test.each(withBody)('is refused by %s', async (route) => {
      attempt('malformed and oversized input');
      const { status, text } = await send(route, { path: named(route, 'nothere'), body });
      expect(status, text).toBeGreaterThanOrEqual(400);
      expect(status, text).toBeLessThan(500);
      expect(JSON.parse(text)).toMatchObject({ status, title: expect.any(String) });
      expect(text.length).toBeLessThan(20_000);
    });
  });

  const gets = contract.httpRoutes.filter((route) => /^GET .*\{sessionId\}/.test(route));
  test.each(elsewhere)('the id %s leads nowhere', async (id) => {
    for (const route of [...gets, 'GET /chat/{chatId}/messages']) {
      attempt('traversal');
      const { status, text } = await send(route, { path: named(route, id) });
      // A chat that does not exist is empty, under any name.
      if (status !== 200 || !route.includes('chat'))
        expect([status, route, text]).toEqual([404, route, expect.any(String)]);
      else expect(text).toBe('{"messages":[]}');
    }
  });

  test.each([
    '/console/../../package.json',
    '/console/..%2f..%2fpackage.json',
    '/console/%2e%2e/%2e%2e/etc/passwd',
    '/console/assets/../../console.mjs',
    '/console/assets/..%2f..%2fconsole.mjs',
    '/console/constructor',
    '/console//etc/passwd',
  ])('%s serves no file of the function', async (path) => {
    attempt('traversal');
    const { status, text } = await raw(it().world.stack.outputs.HttpUrl, 'GET', path);
    if (status === 200) expect(text).toContain('<!doctype html>');
    else expect(status).toBe(404);
    expect(text).not.toMatch(/root:|"dependencies"|process\.env/);
  });

  describe.each(prototypes)('the name %s', (name) => {
    const routes = [...contract.httpRoutes, ...contract.hookRoutes, ...contract.chatRoutes].filter((route) =>
      /\{(?!chatId)/.test(route),
    );
    test('is an id like any other that nothing has', async () => {
      for (const route of routes) {
        attempt('names of prototypes');
        // A person is named by a subject, such as `user:ann`; a bare name is none.
        const isOfPerson = route.endsWith('/people/{user}');
        const path = named(route, name) + (queries[route] ?? '');
        const { status, text } = await send(route, { path, body: JSON.stringify(goodBodies[route] ?? {}) });
        expect([status, route], text).toEqual([isOfPerson ? 400 : 404, route]);
      }
    });

    test('is a header and a key of a query like any other', async () => {
      attempt('names of prototypes', 2);
      const { HttpUrl, SocketUrl = '' } = it().world.stack.outputs;
      const user = await it().user('root', 'steploop-admin');
      const { ticket } = (await user('POST', '/tickets')).body;
      const { status } = await raw(HttpUrl, 'GET', `/?${name}=1`, { headers: { [name]: '1' } });
      expect(status).toBe(200);
      const socket = new WebSocket(`${SocketUrl}?ticket=${ticket}&${name}=1&${name}=2`);
      await new Promise((resolve, reject) => {
        socket.onopen = resolve;
        socket.onerror = reject;
      });
      socket.close();
    });

    test('is no agent, and may be the name of a thread, a key, a person and a thing that is said', async () => {
      attempt('names of prototypes', 7);
      const root = await it().user(name, 'steploop-admin');
      const begin = (more: object) => root('POST', '/sessions', { agent: 'worker', message: name, ...more });
      expect([400, 404]).toContain((await begin({ agent: name })).status);
      expect(await begin({ mode: name })).toMatchObject({ status: 400 });
      // `__proto__` in a literal would set the prototype of this object instead.
      const metadata = Object.fromEntries([[name, name]]);
      expect([201, 400]).toContain((await begin({ metadata })).status);
      const { id } = await it().rested(root, name);
      expect((await root('GET', `/sessions/${id}/messages`)).body.messages[0]).toMatchObject({
        content: name,
      });
      expect((await root('POST', '/keys', { name })).body).toMatchObject({ name });
      const agui = await root('POST', '/agui/worker', {
        threadId: name,
        runId: name,
        messages: [{ id: name, role: 'user', content: 'hello' }],
      });
      expect(agui.body).toContain('RUN_FINISHED');
      expect((await root('GET', `/chat/${name}/messages`)).body.messages).toHaveLength(2);
      expect(await root('PUT', '/budgets', Object.fromEntries([[name, 1]]))).toMatchObject({ status: 400 });
    });
  });
}
