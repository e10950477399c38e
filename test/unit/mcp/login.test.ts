/** OAuth over real HTTP: a token server, and an MCP server that accepts only its tokens. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json, text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { mcpDouble } from '../../support/mcp/double.ts';
import { contents, play } from '../../support/mcp/play.ts';

/** Both on one port of this machine. Tokens are valid for `lasts` requests. */
async function login(lasts: number) {
  const grants: Record<string, string>[] = [];
  const refused: number[] = [];
  const left = new Map<string, number>();
  const double = mcpDouble();
  let url = '';

  const give = (form: Record<string, string>): [number, object] => {
    grants.push(form);
    const isClient = form.client_id === 'steploop' && form.client_secret === 'hush';
    const isGrant =
      form.grant_type === 'client_credentials' ||
      (form.grant_type === 'refresh_token' && form.refresh_token === 'of ann');
    if (!isClient) return [401, { error: 'invalid_client' }];
    if (!isGrant || form.resource !== `${url}/mcp`) return [400, { error: 'invalid_grant' }];
    const access_token = `token-${grants.length}`;
    left.set(access_token, lasts);
    return [200, { access_token, token_type: 'Bearer', expires_in: 3_600 }];
  };
  const mayPass = (header = ''): boolean => {
    const token = header.replace('Bearer ', '');
    const more = left.get(token) ?? 0;
    left.set(token, more - 1);
    return more > 0;
  };

  const server = createServer(async (request, response) => {
    const say = (status: number, body: object, headers = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    if (request.url === '/.well-known/oauth-authorization-server')
      return say(200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        response_types_supported: ['code'],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      });
    if (request.url === '/token')
      return say(...give(Object.fromEntries(new URLSearchParams(await text(request)))));
    if (request.url !== '/mcp' || request.method !== 'POST') return say(405, {});
    if (!mayPass(request.headers.authorization)) {
      refused.push(401);
      return say(401, { error: 'invalid_token' }, { 'www-authenticate': 'Bearer error="invalid_token"' });
    }
    const headers = request.headers as Record<string, string>;
    const body = JSON.stringify(await json(request));
    const answer = await double.internet(new Request(`${url}/mcp`, { method: 'POST', headers, body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    grants,
    refused,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const noServer = () => Promise.reject(new Error('no other server may be called'));
const options = (url: string) => ({
  url: `${url}/mcp`,
  auth: { oauth: 'CLIENT', issuer: url },
  privateNetwork: true,
});
const secrets = (more: object = {}) => ({
  CLIENT: JSON.stringify({ clientId: 'steploop', clientSecret: 'hush', ...more }),
});

test('client credentials log in, and a used-up token is replaced during a run', async () => {
  await using there = await login(5);
  const run = await play(noServer, [[['look']], [['look']], [['look']]], options(there.url), {
    secrets: secrets(),
  });
  expect(contents(run)).toEqual(['look was called', 'look was called', 'look was called']);
  expect(there.grants.length).toBeGreaterThan(1);
  expect(there.refused).toHaveLength(there.grants.length - 1);
  expect(new Set(there.grants.map(({ grant_type }) => grant_type))).toEqual(new Set(['client_credentials']));
});

test('a refresh token logs in with the rights of its owner, and a wrong one is reported without its value', async () => {
  await using there = await login(100);
  const run = await play(noServer, [[['look']]], options(there.url), {
    secrets: secrets({ refreshToken: 'of ann' }),
  });
  expect(contents(run)).toEqual(['look was called']);
  expect(there.grants).toMatchObject([{ grant_type: 'refresh_token', refresh_token: 'of ann' }]);

  const other = await play(noServer, [], options(there.url), {
    secrets: secrets({ refreshToken: 'of nobody' }),
  });
  expect(JSON.stringify(other.events)).toContain('tool_source_unreachable');
  expect(JSON.stringify(other)).not.toMatch(/of nobody|hush/);
});
