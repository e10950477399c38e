import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jwtVerify } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { github } from '../../../agents/triage/github.ts';
import { manifestOf } from '../../../agents/triage/manifest.ts';

const repo = 'octo/notes';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
/** In the format in which GitHub issues it. */
const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }) as string;
const app = (of: object = {}) => JSON.stringify({ appId: 7, privateKey: pem, ...of });

/** A GitHub that knows one App, installed on one repository, and verifies its callers. */
const hub = {
  url: '',
  /** Tokens that it has issued. */
  given: [] as { asked: unknown; token: string }[],
  issuesReadWith: [] as string[],
  revoked: new Set<string>(),
  lifeMs: 3_600_000,
};
const server = createServer(async (request, response) => {
  const answer = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  const bearer = (request.headers.authorization ?? '').replace('Bearer ', '');
  if (request.url === `/repos/${repo}/issues/1`) {
    hub.issuesReadWith.push(bearer);
    if (hub.revoked.has(bearer)) return answer(401, { message: 'Bad credentials' });
    return answer(200, { number: 1, title: 'T', state: 'open', html_url: 'x', labels: [] });
  }
  try {
    const { payload, protectedHeader } = await jwtVerify(bearer, publicKey, {
      ...{ issuer: '7', algorithms: ['RS256'], requiredClaims: ['iat', 'exp'] },
    });
    if (protectedHeader.alg !== 'RS256' || (payload.exp ?? 0) - (payload.iat ?? 0) > 600)
      throw new Error('long');
  } catch {
    return answer(401, { message: 'A JSON web token could not be decoded' });
  }
  if (request.url === `/repos/${repo}/installation`) return answer(200, { id: 33 });
  if (request.method === 'POST' && request.url === '/app/installations/33/access_tokens') {
    const token = `ghs_${hub.given.length + 1}`;
    hub.given.push({ asked: JSON.parse(body), token });
    return answer(201, { token, expires_at: new Date(Date.now() + hub.lifeMs).toISOString() });
  }
  return answer(404, { message: 'Not Found' });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());
let count = 0;
beforeEach(() => {
  // The process caches by address.
  hub.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(hub, { given: [], issuesReadWith: [], revoked: new Set(), lifeMs: 3_600_000 });
  count += 1;
});

/** With a secret that no earlier test has used: cached tokens of another one do not apply. */
const client = (secret: string) =>
  github({ signal: AbortSignal.timeout(20_000), setting: () => hub.url, secret: async () => secret });
const fresh = (of: object = {}) => app({ of: count, ...of });

describe('the tools as a GitHub App', () => {
  test('get a token for the repository only, by a signed JWT, and keep it', async () => {
    const secret = fresh();
    await client(secret).issue(repo, 1);
    await client(secret).issue(repo, 1);
    expect(hub.given.map(({ asked }) => asked)).toEqual([
      { repositories: ['notes'], permissions: { issues: 'write', metadata: 'read' } },
    ]);
    expect(hub.issuesReadWith).toEqual(['ghs_1', 'ghs_1']);
  });

  test('get another one shortly before it expires, when GitHub refuses it, and with another key', async () => {
    const secret = fresh();
    hub.lifeMs = 4 * 60_000;
    await client(secret).issue(repo, 1);
    hub.lifeMs = 3_600_000;
    await client(secret).issue(repo, 1);
    expect(hub.issuesReadWith).toEqual(['ghs_1', 'ghs_2']);
    hub.revoked.add('ghs_2');
    await expect(client(secret).issue(repo, 1)).rejects.toThrow('401');
    await client(secret).issue(repo, 1);
    expect(hub.issuesReadWith.at(-1)).toBe('ghs_3');
    await client(fresh({ rotated: true })).issue(repo, 1);
    expect(hub.issuesReadWith.at(-1)).toBe('ghs_4');
  });

  test('use a personal token as it is, and request none', async () => {
    await client(' ghp_mine\n').issue(repo, 1);
    expect(hub.issuesReadWith).toEqual(['ghp_mine']);
    expect(hub.given).toEqual([]);
  });

  test('report a missing installation, and a wrong key', async () => {
    await expect(client(fresh()).issue('octo/other', 1)).rejects.toThrow(
      'the GitHub App is not installed on octo/other',
    );
    await expect(client(fresh({ appId: 8 })).issue(repo, 1)).rejects.toThrow('do not belong together');
  });

  test.each([
    ['no JSON', '{ "appId": 7, "privateKey": "s3cret'],
    ['no key', JSON.stringify({ appId: 7, privateKey: '-----BEGIN RSA PRIVATE KEY-----\ns3cret' })],
    ['no App', JSON.stringify({ privateKey: 's3cret' })],
  ])('report that a secret is %s, without its content', async (_, secret) => {
    const error: unknown = await client(secret)
      .issue(repo, 1)
      .catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('GITHUB_TOKEN must be a token, or');
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('s3cret');
  });
});

test('the manifest sends its events to the deployment, and requests permissions for issues only', () => {
  expect(
    manifestOf({ httpUrl: 'https://api.example.com/', redirectUrl: 'http://127.0.0.1:1/' }),
  ).toMatchObject({
    public: false,
    hook_attributes: { url: 'https://api.example.com/hooks/github' },
    default_permissions: { issues: 'write', metadata: 'read' },
    default_events: ['issues', 'issue_comment'],
  });
});
