import { expect, test } from 'vitest';
import type { Internet } from '../../../shared/memory/egress.ts';
import { type McpServerOptions, mcpServer } from '../../../tools/mcp/index.ts';
import { failure, mcpDouble } from '../../support/mcp/double.ts';
import { contents, play, whyNoTools } from '../../support/mcp/play.ts';

const identities = ({ heard }: ReturnType<typeof mcpDouble>, header = 'authorization') =>
  new Set(heard.map(({ headers }) => headers.get(header)));

test('a bearer token, or a key in a custom header, goes with each request', async () => {
  const one = mcpDouble();
  await play(one.internet, [[['look']]], { auth: { bearer: 'KEY' } }, { secrets: { KEY: 'abc' } });
  expect(identities(one)).toEqual(new Set(['Bearer abc']));
  const other = mcpDouble();
  await play(
    other.internet,
    [[['look']]],
    { auth: { header: 'x-api-key', secret: 'KEY' } },
    { secrets: { KEY: 'abc' } },
  );
  expect(identities(other, 'x-api-key')).toEqual(new Set(['abc']));
});

test('a tenant’s own token is used for that tenant only, never for a built-in property name', async () => {
  const server = mcpDouble();
  const auth = { bearer: 'KEYS', perTenant: true };
  // Rehearsals are those of acme.
  await play(
    server.internet,
    [[['look']]],
    { auth },
    { secrets: { KEYS: '{"acme":"ours","globex":"theirs"}' } },
  );
  expect(identities(server)).toEqual(new Set(['Bearer ours']));
});

test.each([
  ['no entry for the tenant', '{"globex":"theirs"}', 'has no entry for this tenant'],
  ['no JSON', 'theirs', 'must be a JSON object'],
])('a secret with %s sends no request, and reports that without its value', async (_what, KEYS, words) => {
  const server = mcpDouble();
  const run = await play(
    server.internet,
    [],
    { auth: { bearer: 'KEYS', perTenant: true } },
    { secrets: { KEYS } },
  );
  expect(whyNoTools(run)).toBe('tool_source_unreachable');
  expect(JSON.stringify(run.events)).toContain(words);
  expect(JSON.stringify(run)).not.toContain('theirs');
  expect(server.heard).toEqual([]);
});

test.each<[string, McpServerOptions['auth']]>([
  ['a bearer token', { bearer: 'KEY' }],
  ['a key', { header: 'x-api-key', secret: 'KEY' }],
])(
  '%s, which is invalid in a header, sends no request, and is reported without its value',
  async (_what, auth) => {
    for (const KEY of ['begins\nends', 'begins\u20acends', 'begins\u0000ends']) {
      const server = mcpDouble();
      const run = await play(server.internet, [], { auth }, { secrets: { KEY } });
      expect(JSON.stringify(run.events)).toContain('the secret KEY');
      expect(JSON.stringify(run)).not.toMatch(/begins|ends/);
      expect(server.heard).toEqual([]);
    }
  },
);

test('a line break at the end of a secret, as editors leave it, is not part of its value', async () => {
  const server = mcpDouble();
  await play(server.internet, [[['look']]], { auth: { bearer: 'KEY' } }, { secrets: { KEY: 'abc\n' } });
  expect(identities(server)).toEqual(new Set(['Bearer abc']));
});

const auth = { oauth: 'CLIENT', issuer: 'https://login.example.com' };
const client = { clientId: 'id', clientSecret: 'shh' };

/** A token server, and a server that accepts the last token of it. */
function withLogin(token: (form: URLSearchParams, n: number) => Response, metadata: object = {}) {
  let valid = '';
  let asked = 0;
  const forms: URLSearchParams[] = [];
  const server = mcpDouble({
    answers: ({ headers }) =>
      headers.get('authorization') === `Bearer ${valid}` ? undefined : failure(401, 'no'),
  });
  const internet: Internet = async (request) => {
    const { host, pathname } = new URL(request.url);
    if (host === 'mcp.example.com') return server.internet(request);
    if (host !== 'login.example.com') throw new Error(`no server at ${host}`);
    if (pathname === '/.well-known/oauth-authorization-server')
      return Response.json({
        issuer: 'https://login.example.com',
        authorization_endpoint: 'https://login.example.com/authorize',
        token_endpoint: 'https://login.example.com/token',
        response_types_supported: ['code'],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
        ...metadata,
      });
    if (pathname !== '/token') return new Response(null, { status: 404 });
    const form = new URLSearchParams(await request.text());
    forms.push(form);
    const response = token(form, ++asked);
    if (response.ok) valid = ((await response.clone().json()) as { access_token: string }).access_token;
    return response;
  };
  const revoke = () => {
    valid = 'another';
  };
  return { internet, server, forms, revoke };
}
const given =
  (more: object = {}) =>
  (_: URLSearchParams, n: number) =>
    Response.json({ access_token: `token-${n}`, token_type: 'Bearer', expires_in: 3_600, ...more });

test('client credentials get a token for the server’s own address, once while it is valid', async () => {
  const login = withLogin(given());
  const run = await play(
    login.internet,
    [[['look']], [['look']]],
    { auth, url: 'https://mcp.example.com/cc/mcp' },
    {
      secrets: { CLIENT: JSON.stringify(client) },
    },
  );
  expect(contents(run)).toEqual(['look was called', 'look was called']);
  expect(login.forms.map((form) => Object.fromEntries(form))).toEqual([
    {
      grant_type: 'client_credentials',
      client_id: 'id',
      client_secret: 'shh',
      resource: 'https://mcp.example.com/cc/mcp',
    },
  ]);
  expect(JSON.stringify(run)).not.toMatch(/token-1|shh/);
});

const SECRETS = { secrets: { CLIENT: JSON.stringify(client) } };

test.each([
  ['no response types (anthropics/claude-code#17274)', { response_types_supported: undefined }, {}],
  ['no page for a login', { authorization_endpoint: undefined }, {}],
  ['null in its metadata', { scopes_supported: null, code_challenge_methods_supported: null }, {}],
  [
    'null beside its token (jentic/jentic-one#1253)',
    {},
    { id_token: null, refresh_token: null, scope: null, expires_in: null },
  ],
  ['a token without a type', {}, { token_type: undefined }],
  ['a text as the time of its token', {}, { expires_in: '3600' }],
])('a token server with %s gives a token', async (_what, metadata, more) => {
  const login = withLogin(given(more), metadata);
  const run = await play(login.internet, [[['look']]], { auth }, SECRETS);
  expect(contents(run)).toEqual(['look was called']);
  expect(login.forms).toHaveLength(1);
});

test('a token server that refuses with status 200 is reported in its own words (redhat-data-and-ai/template-agent#265)', async () => {
  const login = withLogin(() => Response.json({ ok: false, error: 'invalid_client' }));
  const run = await play(login.internet, [], { auth }, SECRETS);
  expect(JSON.stringify(run.events)).toContain('it answered invalid_client');
});

test('a refresh token is used with the scope of the definition (anthropics/claude-code#89862)', async () => {
  const login = withLogin(given());
  const secrets = { CLIENT: JSON.stringify({ ...client, refreshToken: 'mine' }) };
  await play(login.internet, [[['look']]], { auth: { ...auth, scope: 'api://docs/.default' } }, { secrets });
  expect(Object.fromEntries(login.forms[0] ?? [])).toMatchObject({
    grant_type: 'refresh_token',
    scope: 'api://docs/.default',
  });
});

test('a refresh token gets one too; a rotated refresh token is not used, and a refused access token is renewed', async () => {
  const login = withLogin(given({ refresh_token: 'rotated' }));
  let calls = 0;
  const run = await play(
    async (request) => {
      if ((await request.clone().text()).includes('tools/call') && ++calls === 2) login.revoke();
      return login.internet(request);
    },
    [[['look']], [['look']]],
    { auth },
    { secrets: { CLIENT: JSON.stringify({ ...client, refreshToken: 'mine' }) } },
  );
  expect(contents(run)).toEqual(['look was called', 'look was called']);
  expect(login.forms.map((form) => [form.get('grant_type'), form.get('refresh_token')])).toEqual([
    ['refresh_token', 'mine'],
    ['refresh_token', 'mine'],
  ]);
});

test.each([
  [
    'that is used up',
    () => Response.json({ error: 'invalid_grant', error_description: 'shh was used' }, { status: 400 }),
    'invalid_grant',
  ],
  [
    'that gets a token which is invalid in a header',
    () => Response.json({ access_token: 'shh\nshh', token_type: 'Bearer' }),
    'cannot stand in a header',
  ],
  [
    'at a server that redirects elsewhere',
    () => new Response(null, { status: 307, headers: { location: 'https://evil.example.com/token' } }),
    'redirects',
  ],
])('a credential %s is reported without its value', async (_what, token, words) => {
  const login = withLogin(token);
  const run = await play(login.internet, [], { auth }, { secrets: { CLIENT: JSON.stringify(client) } });
  expect(whyNoTools(run)).toBe('tool_source_unreachable');
  expect(JSON.stringify(run.events)).toContain(words);
  expect(JSON.stringify(run)).not.toContain('shh');
});

test.each([
  ['plain HTTP', { url: 'http://mcp.example.com/mcp' }, 'https://'],
  ['a password in its URL', { url: 'https://me:pw@mcp.example.com/mcp' }, 'user name or password'],
  ['no URL', { url: 'mcp.example.com' }, 'must be a URL'],
  ['an issuer without TLS', { auth: { oauth: 'X', issuer: 'http://login.example.com' } }, 'https://'],
  ['a limit above the largest', { maxResultBytes: 60_000_000 }, 'maxResultBytes'],
  ['an unknown option', { trust: true }, 'trust'],
])('%s is refused in the definition', (_what, options, words) => {
  expect(() => mcpServer({ name: 'srv', url: 'https://mcp.example.com/mcp', ...options } as never)).toThrow(
    words,
  );
});

test("a private address is not called, unless it is declared as part of one's own network", async () => {
  const server = mcpDouble();
  const run = await play(server.internet, [], { url: 'https://10.0.0.7/mcp' });
  expect(whyNoTools(run)).toBe('tool_source_unreachable');
  expect(JSON.stringify(run.events)).toContain('must lead to a public address');
  expect(server.heard).toEqual([]);
});
