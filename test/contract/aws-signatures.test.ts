import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { blobKey } from '../../shared/agent/plain/blob-key.ts';
import { createLinks } from '../../shared/aws/links.ts';
import { createPurge } from '../../shared/aws/purge.ts';
import { createS3, type S3Options } from '../../shared/aws/s3.ts';
import { Sha256 } from '../../shared/aws/sha256.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';

/** Our requests to S3 are signed as the SDK signs its own, whatever their keys are. */

const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'token' };
const identity = { region: 'eu-central-1', credentials, sha256: Sha256 };
const endpoint = 'http://127.0.0.1:4000';
const bucket = 'blobs';

const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
const unicode = [
  'ä',
  'ß',
  '\u0080',
  '\u00a0',
  'é',
  'e\u0301',
  '☕',
  '中文',
  '👩‍🚀',
  '\u{10ffff}',
  '\ufffd',
  '\ufeff',
  '\u2028',
];
/** One key for each character; S3 and we refuse what is only dots, and a slash separates segments. */
const keys = [...ascii, ...unicode].map((one) => [JSON.stringify(one), `tenant/a${one}b`] as const);

interface Sent {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Record<string, string>;
}

/** The request that the SDK's own client would put on the wire: its path and its query. */
async function ofSdk(command: { input: object }): Promise<{ path: string; query: Record<string, string> }> {
  let seen: { path: string; query: Record<string, string> } | undefined;
  const client = new S3Client({
    ...identity,
    endpoint,
    forcePathStyle: true,
    maxAttempts: 1,
    requestHandler: {
      handle: async (request: { path: string; query: Record<string, string> }) => {
        seen = request;
        throw new Error('seen');
      },
      metadata: {},
    } as never,
  });
  await client.send(command as never).catch(() => undefined);
  if (!seen) throw new Error('the SDK sent nothing');
  return seen;
}

/** The requests of our code, answered with `answer`. */
function watch(answer: () => Response): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal('fetch', async (url: URL, init: RequestInit) => {
    const { pathname, search } = new URL(url);
    sent.push({
      method: init.method ?? 'GET',
      url: `${pathname}${search}`,
      headers: init.headers as Record<string, string>,
    });
    return answer();
  });
  return sent;
}

/** The signature that the SDK's signer gives to a request with these headers, at the SDK's own path and query. */
async function signatureFor(
  { method, headers }: Sent,
  { path, query }: { path: string; query: Record<string, string> },
  body?: string,
): Promise<string | undefined> {
  const { authorization, ...rest } = headers;
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(authorization ?? '') ?? [];
  const signed = await new SignatureV4({ ...identity, service: 's3', uriEscapePath: false }).sign({
    method,
    protocol: 'http:',
    hostname: '127.0.0.1',
    port: 4000,
    path,
    query,
    headers: Object.fromEntries(names.split(';').map((name) => [name, rest[name] ?? ''])),
    ...(body !== undefined && { body }),
  });
  return signed.headers.authorization;
}

describe('as the SDK signs', () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 10, 22, 12, 1, 30), toFake: ['Date'] }));
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const options: S3Options = { identity, endpoint };

  test.each(keys)('an object whose key contains %s is put and got', async (_name, key) => {
    const sent = watch(() => new Response(''));
    const s3 = createS3(options);
    await s3.put(bucket, key, 'text');
    await s3.get(bucket, key);
    const expected = await ofSdk(new PutObjectCommand({ Bucket: bucket, Key: key, Body: 'text' }));
    for (const one of sent) {
      expect(one.url).toBe(expected.path);
      const body = one.method === 'PUT' ? 'text' : undefined;
      expect(one.headers.authorization).toBe(await signatureFor(one, { ...expected, query: {} }, body));
    }
    expect(sent.map(({ method }) => method)).toEqual(['PUT', 'GET']);
  });

  test.each(keys)('objects whose prefix contains %s are listed', async (_name, prefix) => {
    const sent = watch(() => new Response('<ListBucketResult></ListBucketResult>'));
    await createPurge(options, bucket)(prefix);
    const { query } = await ofSdk(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }));
    const [one] = sent;
    if (!one) throw new Error('nothing was sent');
    const asked = { 'list-type': '2', prefix: query.prefix ?? '' };
    expect(one.url.slice(one.url.indexOf('?'))).toBe(`?list-type=2&prefix=${rfc(prefix)}`);
    expect(one.headers.authorization).toBe(await signatureFor(one, { path: `/${bucket}/`, query: asked }));
  });

  test.each(keys)(
    'a link to an object whose key contains %s leads to the path of the SDK',
    async (_name, key) => {
      const links = createLinks(options, bucket);
      const url = new URL(await links.downloadFrom(key, { name: 'x', mediaType: 'text/plain', seconds: 60 }));
      const { path } = await ofSdk(new GetObjectCommand({ Bucket: bucket, Key: key }));
      expect(url.pathname).toBe(path);
    },
  );
});

/** RFC 3986, as the SDK's `escapeUri`. */
const rfc = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

describe('an S3 that verifies signatures', () => {
  let aws: EmbeddedAws;
  beforeAll(async () => {
    aws = await startEmbeddedAws();
  });
  afterAll(() => aws.stop());

  test.each([
    ...keys.map(([name]) => blobKey('acme', `a${JSON.parse(name)}b`)),
    blobKey('acme', 'all', ascii.join('')),
    blobKey('acme', '.', '..', '%2E', '+', 'a b', 'a%20b'),
  ])('keeps, lists and deletes %s', async (key) => {
    const own = await aws.withBucket();
    const s3 = own.clients.s3();
    await s3.put(own.bucket, key, 'text');
    expect(await s3.get(own.bucket, key)).toBe('text');
    expect(await s3.has(own.bucket, key)).toBe(true);
    const links = createLinks(aws.s3, own.bucket);
    const link = await links.downloadFrom(key, {
      name: "it's (1)!*.txt",
      mediaType: 'text/plain',
      seconds: 60,
    });
    expect(await (await fetch(link)).text()).toBe('text');
    await createPurge(aws.s3, own.bucket)(key);
    expect(await s3.has(own.bucket, key)).toBe(false);
  });

  test('refuses a request of another secret, and a link that was changed', async () => {
    const guess = {
      ...aws.s3,
      identity: { ...aws.s3.identity, credentials: { accessKeyId: 'test', secretAccessKey: 'guess' } },
    };
    await expect(createS3(guess).put(aws.bucket, 'acme/a', 'text')).rejects.toMatchObject({
      $metadata: { httpStatusCode: 403 },
    });
    const link = await createLinks(aws.s3, aws.bucket).downloadFrom('acme/a', {
      name: 'x',
      mediaType: 'a/b',
      seconds: 60,
    });
    const answer = await fetch(link.replace('acme/a', 'acme/b'));
    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.stringContaining('SignatureDoesNotMatch'),
    ]);
  });
});
