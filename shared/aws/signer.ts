/**
 * Signature Version 4 for the requests of `direct.ts`, in place of the SDK's signer, which is made for each request and
 * copies the client's configuration into it (a tenth to a sixth of a call: `npm run bench:call`). The client's own scheme calls
 * it, so credentials and the correction of the clock stay the SDK's. `test/contract/aws-direct.test.ts` compares signatures with
 * those of the SDK's signer.
 */

import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { rfc3986Path } from './rfc3986.ts';

/** A request as the SDK's parts hand it on. Names of headers are in lower case. */
export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The parts of a client's configuration: its keys, renewed when they expire, and its region. */
export interface SignerConfig {
  credentials(): Promise<Keys>;
  region(): Promise<string>;
  readonly signingName?: string;
  readonly defaultSigningName?: string;
}

/** The region and service that an endpoint asks for, where they differ from the client's. */
interface Scheme {
  readonly signingRegion?: string;
  readonly signingName?: string;
}

/** The `signer` of a client's configuration. */
export function signerOf(config: SignerConfig) {
  const keyOfDay = dailyKeys();
  return async (scheme: Scheme = {}) => ({
    async sign<R extends SignedRequest>(request: R, { signingDate }: { signingDate: Date }): Promise<R> {
      const keys = await config.credentials();
      const region = scheme.signingRegion ?? (await config.region());
      const service = scheme.signingName ?? config.signingName ?? config.defaultSigningName ?? '';
      const at = signingDate.toISOString().replace(/[:-]|\.\d{3}/g, '');
      const scope = `${at.slice(0, 8)}/${region}/${service}/aws4_request`;
      const headers: Record<string, string> = { ...request.headers, 'x-amz-date': at };
      if (keys.sessionToken) headers['x-amz-security-token'] = keys.sessionToken;
      const covered = Object.entries(headers)
        .filter(([name]) => isSigned(name))
        .sort(([a], [b]) => (a < b ? -1 : 1));
      const signed = covered.map(([name]) => name).join(';');
      const listed = covered.map(([name, value]) => `${name}:${value.trim().replace(/\s+/g, ' ')}\n`);
      const canonical = `${request.method}\n${rfc3986Path(request.path)}\n\n${listed.join('')}\n${signed}\n${sha256(request.body ?? '')}`;
      const text = `AWS4-HMAC-SHA256\n${at}\n${scope}\n${sha256(canonical)}`;
      const signature = createHmac('sha256', keyOfDay(keys, scope)).update(text).digest('hex');
      headers.authorization = `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
      return { ...request, headers };
    },
  });
}

/** Proxies change some headers, and Lambda's trace is not part of what is signed (the SDK's `ALWAYS_UNSIGNABLE_HEADERS`). */
const isSigned = (name: string): boolean => name !== 'x-amzn-trace-id' && name !== 'user-agent';

const sha256 = (content: string | Uint8Array): string => hash('sha256', content);

/** The key for a scope, which contains its day. It is kept until keys or scope change: Node makes a key object in 12 µs. */
function dailyKeys() {
  let known: { readonly of: string; readonly key: KeyObject } | undefined;
  return ({ secretAccessKey }: Keys, scope: string): KeyObject => {
    const of = `${secretAccessKey} ${scope}`;
    if (known?.of !== of) {
      const bytes = scope
        .split('/')
        .reduce<string | Buffer>(
          (key, part) => createHmac('sha256', key).update(part).digest(),
          `AWS4${secretAccessKey}`,
        );
      known = { of, key: createSecretKey(bytes as Buffer) };
    }
    return known.key;
  };
}
