import { SignatureV4 } from '@smithy/signature-v4';
import { assertBlobKey } from '../agent/plain/blob-key.ts';
import { defined } from '../agent/plain/defined.ts';
import { patiently } from './patiently.ts';
import { rfc3986Path } from './rfc3986.ts';
import { use } from './spent.ts';
import { toSign } from './to-sign.ts';

/**
 * The part of S3 that is used here: whole objects, put and got. Callers without permission to list the bucket
 * (`s3:ListBucket`) get 403 and not 404 for a missing object (S3's API reference, GetObject, "Permissions").
 */
export interface S3 {
  /** Rejects when the object could not be written, or when a URL would read the key as another. */
  put(bucket: string, key: string, body: string | Uint8Array): Promise<void>;
  /** Undefined when there is no such object. */
  get(bucket: string, key: string): Promise<string | undefined>;
  /** Undefined when there is no such object. Rejects when it has more than `maxBytes`, and `seal` bytes around them. */
  getBytes(bucket: string, key: string, maxBytes?: number, seal?: number): Promise<Uint8Array | undefined>;
  has(bucket: string, key: string): Promise<boolean>;
}

/** The caller's identity and the endpoint, as any client of the SDK works them out of its environment. */
export interface S3Options {
  readonly identity: Pick<ConstructorParameters<typeof SignatureV4>[0], 'credentials' | 'region' | 'sha256'>;
  /** Another server than AWS's, as `AWS_ENDPOINT_URL_S3` names it. */
  readonly endpoint?: string;
}

/** S3 refused the request or failed. It has the shape of the SDK's errors. */
export class S3Failure extends Error {
  override name = 'S3Failure';
  readonly $metadata: { readonly httpStatusCode: number };

  constructor(what: string, httpStatusCode: number) {
    super(`S3 ${what}: HTTP ${httpStatusCode}`);
    this.$metadata = { httpStatusCode };
  }
}

/** An object has more bytes than its reader takes. */
export class ObjectTooLarge extends Error {
  override name = 'ObjectTooLarge';
}

/** Without a type the embedded S3 accepts no empty body. */
const BYTES = 'application/octet-stream';
/** Longest time for one try, in ms. */
export const PATIENCE_MS = 15_000;

/**
 * S3 over plain HTTPS, signed with the SDK's own signer, which is in every bundle anyway. The SDK's S3 client would
 * add 165 KB to the step function for these two requests (`npm run bench:cold`).
 */
export function createS3({ identity, endpoint }: S3Options): S3 {
  const signer = new SignatureV4({ ...identity, service: 's3', uriEscapePath: false });

  async function request(
    method: 'GET' | 'HEAD' | 'PUT',
    bucket: string,
    key: string,
    body?: string | Uint8Array,
  ): Promise<Response> {
    assertBlobKey(key);
    use(method === 'PUT' ? 'puts' : 'gets', 1);
    const url = await urlOfObject({ identity, endpoint }, bucket, key);
    const typed: Record<string, string> = body instanceof Uint8Array ? { 'content-type': BYTES } : {};
    const { headers } = await signer.sign({
      ...toSign(method, url, { headers: typed }),
      ...defined({ body }),
    });
    return fetch(url, {
      method,
      headers,
      body: body as RequestInit['body'],
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  }

  async function object(
    bucket: string,
    key: string,
    method: 'GET' | 'HEAD' = 'GET',
  ): Promise<Response | undefined> {
    const response = await patiently(() => request(method, bucket, key));
    if (response.ok) return response;
    await response.arrayBuffer();
    if (response.status === 404) return undefined;
    throw new S3Failure('did not give an object', response.status);
  }

  return {
    async put(bucket, key, body) {
      const response = await patiently(() => request('PUT', bucket, key, body));
      await response.arrayBuffer();
      if (!response.ok) throw new S3Failure('did not keep an object', response.status);
    },
    get: async (bucket, key) => (await object(bucket, key))?.text(),
    async getBytes(bucket, key, maxBytes = Number.POSITIVE_INFINITY, seal = 0) {
      const response = await object(bucket, key);
      if (!response) return undefined;
      // S3 reports the length of each object.
      if (Number(response.headers.get('content-length')) > maxBytes + seal) {
        await response.body?.cancel();
        throw new ObjectTooLarge(`the object has more than ${maxBytes} bytes`);
      }
      return new Uint8Array(await response.arrayBuffer());
    },
    has: async (bucket, key) => (await object(bucket, key, 'HEAD')) !== undefined,
  };
}

/** The URL of an object: on its bucket's own host, or in path style for another server than AWS's. */
export async function urlOfObject(
  { identity, endpoint }: S3Options,
  bucket: string,
  key: string,
): Promise<URL> {
  const region = typeof identity.region === 'string' ? identity.region : await identity.region();
  const host = `${bucket}.s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const url = new URL(endpoint ? `${endpoint}/${bucket}/` : `https://${host}/`);
  url.pathname += rfc3986Path(key);
  return url;
}
