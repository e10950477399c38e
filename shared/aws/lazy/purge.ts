/** Deleting objects of the bucket: what is asked of S3 only when a session is deleted. */

import { SignatureV4 } from '@smithy/signature-v4';
import { rfc3986, type S3Options, urlOfObject } from '../s3.ts';

/** Deletes all objects whose keys start so. Rejects when S3 fails; some are deleted by then. */
export type Purge = (prefix: string) => Promise<void>;

/** Objects that are deleted at once. */
const AT_ONCE = 20;
/** Tries of a request. */
const ATTEMPTS = 3;
/** Longest time for one try, in ms. */
const PATIENCE_MS = 15_000;

/** S3 has refused or failed, as the errors of the SDK say it. */
class PurgeFailure extends Error {
  override name = 'S3Failure';
  readonly $metadata: { readonly httpStatusCode: number };

  constructor(what: string, httpStatusCode: number) {
    super(`S3 ${what}: HTTP ${httpStatusCode}`);
    this.$metadata = { httpStatusCode };
  }
}

export function createPurge({ identity, endpoint }: S3Options, bucket: string): Purge {
  const signer = new SignatureV4({ ...identity, service: 's3', uriEscapePath: false });

  async function ask(
    method: 'GET' | 'DELETE',
    key: string,
    query: Record<string, string>,
  ): Promise<Response> {
    const url = await urlOfObject({ identity, endpoint }, bucket, key);
    const { headers } = await signer.sign({
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port && { port: Number(url.port) }),
      path: url.pathname,
      query,
      headers: { host: url.host },
    });
    url.search = Object.entries(query)
      .map(([name, value]) => `${name}=${rfc3986(value)}`)
      .join('&');
    return fetch(url, { method, headers, signal: AbortSignal.timeout(PATIENCE_MS) });
  }

  /** Each of these requests may be repeated. */
  async function patiently(...asked: Parameters<typeof ask>): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const response = await ask(...asked).catch((error: unknown) => {
        if (attempt === ATTEMPTS) throw error;
        return undefined;
      });
      if (response && (response.status < 500 || attempt === ATTEMPTS)) return response;
      await response?.arrayBuffer();
    }
  }

  async function list(prefix: string): Promise<string[]> {
    const query = { 'list-type': '2', prefix };
    const response = await patiently('GET', '', query);
    const xml = await response.text();
    if (!response.ok) throw new PurgeFailure('did not list objects', response.status);
    return keysIn(xml).filter((key) => key.startsWith(prefix));
  }

  async function remove(key: string): Promise<void> {
    const response = await patiently('DELETE', key, {});
    await response.arrayBuffer();
    if (!response.ok && response.status !== 404)
      throw new PurgeFailure('did not delete an object', response.status);
  }

  return async (prefix) => {
    let last: string | undefined;
    // S3 lists what is there: what was deleted is on no later page, so the first one is always the next.
    for (let keys = await list(prefix); keys.length > 0; keys = await list(prefix)) {
      if (keys[0] === last) throw new PurgeFailure('lists an object that it has deleted', 200);
      last = keys[0];
      for (let at = 0; at < keys.length; at += AT_ONCE)
        await Promise.all(keys.slice(at, at + AT_ONCE).map(remove));
    }
  };
}

/** Keys of a page of ListObjectsV2. Of what XML has another way of writing, a key has apostrophes alone (`blobKey`). */
const keysIn = (xml: string): string[] =>
  [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key.replaceAll(/&(apos|#39|#x27);/g, "'"));
