import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { codeFlow } from './oidc-sign-in.ts';

/** An OpenID Connect issuer on loopback: its configuration, its keys, and tokens that it signs. */
export interface OidcIssuer extends AsyncDisposable {
  readonly issuer: string;
  readonly audience: string;
  /** A valid token for an hour, unless `claims` or `options` say otherwise. `undefined` leaves a claim out. */
  token(claims?: Record<string, unknown>, options?: TokenOptions): Promise<string>;
  /** Signs with a new key from now on. The old one stays published only if `keepOld`. */
  rotate(options?: { keepOld: boolean }): Promise<void>;
  /** Its published configuration, which a test can break. */
  configuration: Record<string, unknown>;
  /** How often its keys were fetched. */
  readonly keyReads: () => number;
  /** Its signing key in published form. */
  published(): JWK;
  /** Answers 500 to everything while true. */
  down: boolean;
}

export interface TokenOptions {
  readonly kid?: string;
  readonly alg?: string;
  /** A key other than the issuer's. */
  readonly key?: CryptoKey | Uint8Array;
}

export async function startOidcIssuer(alg = 'RS256'): Promise<OidcIssuer> {
  const published: JWK[] = [];
  let signing: { key: CryptoKey; kid: string };
  let reads = 0;

  const server = createServer((request, response) => {
    const answer = (body: unknown) => response.end(JSON.stringify(body));
    if (self.down) return void response.writeHead(500).end();
    // Browser pages call it too.
    response.setHeader('access-control-allow-origin', '*');
    const url = new URL(request.url ?? '/', issuer);
    if (url.pathname === '/authorize') return flow.authorize(url, response);
    if (url.pathname === '/token') return void flow.token(request, response);
    if (request.url === '/.well-known/openid-configuration') return void answer(self.configuration);
    if (request.url !== '/keys') return void response.writeHead(404).end();
    reads++;
    answer({ keys: published });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const self: OidcIssuer = {
    issuer,
    audience: 'steploop',
    configuration: {
      issuer,
      jwks_uri: `${issuer}/keys`,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
    },
    down: false,
    keyReads: () => reads,
    published: () => published.at(-1) as JWK,
    async token(claims = {}, { kid = signing.kid, alg: as = alg, key = signing.key } = {}) {
      const now = Math.floor(Date.now() / 1000);
      const good = { iss: issuer, aud: self.audience, sub: 'ada', tenant: 'acme', iat: now, exp: now + 3600 };
      const payload = JSON.parse(JSON.stringify({ ...good, ...claims })) as JWTPayload;
      return new SignJWT(payload).setProtectedHeader({ alg: as, kid }).sign(key);
    },
    async rotate({ keepOld } = { keepOld: true }) {
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
      const kid = `key-${published.length + 1}-${alg}`;
      signing = { key: privateKey, kid };
      if (!keepOld) published.length = 0;
      published.push({ ...(await exportJWK(publicKey)), kid, alg, use: 'sig' });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const flow = codeFlow((claims) => self.token(claims));
  await self.rotate();
  return self;
}
