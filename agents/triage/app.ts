/** A GitHub App: requests tokens of its installations, in its own name. */

import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import * as z from 'zod';
import type { Access } from './access.ts';

const App = z.object({
  appId: z.union([z.int().positive().transform(String), z.string().regex(/^[\w.]+$/)]),
  privateKey: z.string().includes('PRIVATE KEY'),
});
const Installation = z.object({ id: z.int().positive() });
const Token = z.object({ token: z.string().min(1), expires_at: z.iso.datetime({ offset: true }) });

/** The permissions that the tools need, even if the App has more. */
const permissions = { issues: 'write', metadata: 'read' };

/** Seconds by which our JWTs are backdated, because clocks differ. */
const OLD_SECONDS = 60;
/** Seconds that a JWT is valid from now on; GitHub accepts ten minutes at most. */
const GOOD_SECONDS = 540;

const wrongSecret = 'The secret GITHUB_TOKEN must be a token, or { "appId": …, "privateKey": "…" } as JSON.';

/** A token for one repository, and its expiry in epoch ms. Rejects with a sentence that contains nothing of the secret. */
export async function mint(access: Access): Promise<{ token: string; expiresAt: number }> {
  const { appId, key } = read(access.secret);
  const now = Math.floor(Date.now() / 1000);
  const jwt = await new SignJWT({})
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(appId)
    .setIssuedAt(now - OLD_SECONDS)
    .setExpirationTime(now + GOOD_SECONDS)
    .sign(key);
  const { id } = await asApp(access, jwt, Installation, 'GET', `/repos/${access.repo}/installation`);
  const [, name = ''] = access.repo.split('/');
  const path = `/app/installations/${id}/access_tokens`;
  const body = { repositories: [name], permissions };
  const { token, expires_at } = await asApp(access, jwt, Token, 'POST', path, body);
  return { token, expiresAt: Date.parse(expires_at) };
}

function read(secret: string): { appId: string; key: KeyObject } {
  try {
    const { appId, privateKey } = App.parse(JSON.parse(secret));
    const key = createPrivateKey(privateKey);
    if (key.asymmetricKeyType === 'rsa') return { appId, key };
  } catch {
    // The original error may quote its input, which is the secret.
  }
  throw new Error(wrongSecret);
}

async function asApp<T extends z.ZodType>(
  { base, repo, signal }: Access,
  jwt: string,
  answer: T,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<z.output<T>> {
  const response = await fetch(base + path, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${jwt}`,
      'user-agent': 'steploop',
      'x-github-api-version': '2022-11-28',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${refusal(response.status, repo)}`);
  const parsed = answer.safeParse(json(text));
  if (parsed.success) return parsed.data;
  // The answer may contain a token.
  throw new Error(`${method} ${path}: not an answer of GitHub's`);
}

function refusal(status: number, repo: string): string {
  const answered = `GitHub answered ${status}`;
  if (status === 401)
    return `${answered}: appId and privateKey in the secret GITHUB_TOKEN do not belong together, or the clock is wrong`;
  if (status === 404) return `${answered}: the GitHub App is not installed on ${repo}`;
  if (status === 403) return `${answered}: the installation on ${repo} is suspended`;
  if (status === 422)
    return `${answered}: the installation on ${repo} has not been given the permission to write issues`;
  return answered;
}

/** The value; undefined if `text` is not JSON. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
