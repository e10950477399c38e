/** Deletes objects of the bucket. S3 is asked for this only when a session is deleted. */

import { SignatureV4 } from '@smithy/signature-v4';
import { groupsOf } from '../agent/plain/groups.ts';
import { patiently } from './patiently.ts';
import { rfc3986 } from './rfc3986.ts';
import { PATIENCE_MS, S3Failure, type S3Options, urlOfObject } from './s3.ts';
import { toSign } from './to-sign.ts';

/** Deletes all objects whose keys start with the prefix. Rejects when S3 fails; some are deleted by then. */
export type Purge = (prefix: string) => Promise<void>;

/** Objects that are deleted at once. */
const AT_ONCE = 20;
export function createPurge({ identity, endpoint }: S3Options, bucket: string): Purge {
  const signer = new SignatureV4({ ...identity, service: 's3', uriEscapePath: false });

  async function ask(
    method: 'GET' | 'DELETE',
    key: string,
    query: Record<string, string>,
  ): Promise<Response> {
    const url = await urlOfObject({ identity, endpoint }, bucket, key);
    const { headers } = await signer.sign(toSign(method, url, { query }));
    url.search = Object.entries(query)
      .map(([name, value]) => `${rfc3986(name)}=${rfc3986(value)}`)
      .join('&');
    return fetch(url, { method, headers, signal: AbortSignal.timeout(PATIENCE_MS) });
  }

  async function list(prefix: string): Promise<string[]> {
    const query = { 'list-type': '2', prefix };
    const response = await patiently(() => ask('GET', '', query));
    const xml = await response.text();
    if (!response.ok) throw new S3Failure('did not list objects', response.status);
    return keysIn(xml).filter((key) => key.startsWith(prefix));
  }

  async function remove(key: string): Promise<void> {
    const response = await patiently(() => ask('DELETE', key, {}));
    await response.arrayBuffer();
    if (!response.ok && response.status !== 404)
      throw new S3Failure('did not delete an object', response.status);
  }

  return async (prefix) => {
    let last: string | undefined;
    // S3 lists existing objects only: deleted ones are on no later page, so the first page is always the next.
    for (let keys = await list(prefix); keys.length > 0; keys = await list(prefix)) {
      if (keys[0] === last) throw new S3Failure('lists an object that it has deleted', 200);
      last = keys[0];
      for (const some of groupsOf(keys, AT_ONCE)) await Promise.all(some.map(remove));
    }
  };
}

/** Keys of a page of ListObjectsV2. Apostrophes are the only characters in a key that XML may escape (`blobKey`). */
const keysIn = (xml: string): string[] =>
  [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key.replaceAll(/&(apos|#39|#x27);/g, "'"));
