/** Signature Version 4 as AWS verifies it, written from its specification and not with the SDK's signer, which it checks. */

import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { REGION } from '../identity.ts';

/** A service by the name in a credential scope. */
export type SigningService = 'dynamodb' | 'sqs' | 's3' | 'secretsmanager' | 'kms' | 'execute-api';

/** A request as it arrived. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Undefined if its length was not announced; then its hash is not compared. */
  readonly body: Uint8Array | undefined;
}

/** Why a signature is refused. Services word and number each of them differently (`refusals.ts`). */
export type Unsigned =
  | { readonly kind: 'absent' }
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'other-service'; readonly service: SigningService }
  /** `signed` and `now` in the format of `x-amz-date`; `minutes` that they may differ. */
  | { readonly kind: 'skewed'; readonly signed: string; readonly now: string; readonly minutes: number }
  | { readonly kind: 'expired' }
  /** A link that is to be valid for more than a week. */
  | { readonly kind: 'lasting' }
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'other-body' };

/** Minutes by which the clock of a caller may be wrong: 15 for S3 (its error `RequestTimeTooSkewed`), 5 for the others. */
const skewOf = (service: SigningService): number => (service === 's3' ? 15 : 5);

/**
 * The secret of an access key: functions share one (`lambda/variables.ts`); for all other callers (tests, people with a
 * terminal), it is the key itself.
 */
export const secretOf = (accessKey: string): string => (accessKey.startsWith('local-') ? 'local' : accessKey);

/** Why the signature in the headers of a request is refused; undefined if it is right. @param now epoch ms */
export function refusalOfHeaders(
  service: SigningService,
  request: SignedRequest,
  now: number,
): Unsigned | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined) return { kind: 'absent' };
  const [, credential, signedHeaders, signature] =
    /^AWS4-HMAC-SHA256 +Credential=([^,\s]+), *SignedHeaders=([^,\s]+), *Signature=([^,\s]+)$/.exec(
      authorization,
    ) ?? [];
  const date = String(request.headers['x-amz-date'] ?? '');
  if (!credential || !signedHeaders || !signature || !Number.isFinite(timeOf(date)))
    return { kind: 'incomplete' };
  const names = signedHeaders.split(';');
  if (!names.includes('host')) return { kind: 'incomplete' };
  const minutes = skewOf(service);
  if (Math.abs(now - timeOf(date)) > minutes * 60_000)
    return { kind: 'skewed', signed: date, now: dateOf(now), minutes };
  const claimed = claimedHash(service, request);
  const payload = claimed ?? hashOf(request.body ?? '');
  const verdict = compare(service, request, {
    credential,
    names,
    signature,
    date,
    payload,
    query: queryOf(request.url),
  });
  if (verdict) return verdict;
  const isOther = isHash(payload) && request.body !== undefined && payload !== hashOf(request.body);
  return isOther ? { kind: 'other-body' } : undefined;
}

/** The longest life of a link (S3's API reference, "Authenticating Requests: Using Query Parameters"). */
const MOST_SECONDS = 604_800;

/** The same for a signed link to S3, whose signature is in its query and does not cover the body. */
export function refusalOfLink(request: SignedRequest, now: number): Unsigned | undefined {
  const query = queryOf(request.url);
  const of = (name: string) => query.find(([one]) => one === name)?.[1] ?? '';
  const date = of('X-Amz-Date');
  const seconds = Number(of('X-Amz-Expires'));
  if (seconds > MOST_SECONDS) return { kind: 'lasting' };
  if (!(now < timeOf(date) + seconds * 1000)) return { kind: 'expired' };
  return compare('s3', request, {
    credential: of('X-Amz-Credential'),
    names: of('X-Amz-SignedHeaders').split(';'),
    signature: of('X-Amz-Signature'),
    date,
    payload: 'UNSIGNED-PAYLOAD',
    query: query.filter(([name]) => name !== 'X-Amz-Signature'),
  });
}

/** The headers of a POST with those that sign it. @param headers in lower case, `host` among them @param now epoch ms */
export function signedHeaders(
  service: SigningService,
  accessKey: string,
  { url, headers, body }: { url: string; headers: Readonly<Record<string, string>>; body: Uint8Array },
  now: number,
): Record<string, string> {
  const date = dateOf(now);
  const all: Record<string, string> = { ...headers, 'x-amz-date': date };
  const names = Object.keys(all).sort();
  const credential = `${accessKey}/${date.slice(0, 8)}/${REGION}/${service}/aws4_request`;
  const signed = { credential, names, date, payload: hashOf(body), query: [] };
  const signature = signatureOf(service, { method: 'POST', url, headers: all, body }, signed);
  return {
    ...all,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

interface Signed {
  /** `key/day/region/service/aws4_request`. */
  readonly credential: string;
  /** Signed headers, in lower case. */
  readonly names: readonly string[];
  /** In the format of `x-amz-date`. */
  readonly date: string;
  /** Hash of the body, or what stands for it. */
  readonly payload: string;
  readonly query: readonly (readonly [string, string])[];
}

function compare(
  service: SigningService,
  request: SignedRequest,
  signed: Signed & { readonly signature: string },
): Unsigned | undefined {
  const scope = signed.credential.split('/').slice(1);
  if (scope.length !== 4 || scope[0] !== signed.date.slice(0, 8) || scope[3] !== 'aws4_request')
    return { kind: 'incomplete' };
  if (scope[2] !== service) return { kind: 'other-service', service };
  return isEqual(signatureOf(service, request, signed), signed.signature) ? undefined : { kind: 'mismatch' };
}

function signatureOf(service: SigningService, request: SignedRequest, signed: Signed): string {
  const [accessKey = '', ...scope] = signed.credential.split('/');
  const canonical = [
    request.method,
    pathOf(service, request.url),
    signed.query
      .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
      .sort()
      .join('&'),
    ...signed.names.map(
      (name) =>
        `${name}:${String(request.headers[name] ?? '')
          .trim()
          .replaceAll(/ +/g, ' ')}`,
    ),
    '',
    signed.names.join(';'),
    signed.payload,
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', signed.date, scope.join('/'), hashOf(canonical)].join('\n');
  return createHmac('sha256', keyOf(accessKey, scope)).update(text).digest('hex');
}

/** S3 takes the hash of a body from its header. */
function claimedHash(service: SigningService, { headers }: SignedRequest): string | undefined {
  return service === 's3' ? String(headers['x-amz-content-sha256'] ?? '') : undefined;
}

/**
 * The path that is signed. S3 escapes the key itself, once, and resolves no dots in it. The other services normalize
 * the path as it was sent, and escape it once more.
 */
function pathOf(service: SigningService, url: string): string {
  const path = url.split('?')[0] ?? '/';
  if (service === 's3') return path.split('/').map(decoded).map(escaped).join('/');
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(escaped(segment));
  }
  return `/${kept.join('/')}${kept.length > 0 && path.endsWith('/') ? '/' : ''}`;
}

const queryOf = (url: string): [string, string][] => [
  ...new URLSearchParams(url.split('?').slice(1).join('?')),
];

/** Keys of a day, by access key and scope: each is four HMACs, and Node takes a key object faster than bytes. */
const keys = new Map<string, KeyObject>();
const REMEMBERED = 1_000;

function keyOf(accessKey: string, scope: readonly string[]): KeyObject {
  const name = [accessKey, ...scope].join('/');
  const known = keys.get(name);
  if (known) return known;
  const bytes = scope.reduce<Buffer>(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    Buffer.from(`AWS4${secretOf(accessKey)}`),
  );
  const key = createSecretKey(bytes);
  if (keys.size >= REMEMBERED) keys.clear();
  keys.set(name, key);
  return key;
}

const hashOf = (body: Uint8Array | string): string => hash('sha256', body);

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** Epoch ms of `20261122T120130Z`; NaN for anything else. */
const timeOf = (text: string): number =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'));

const dateOf = (time: number): string =>
  `${new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

/** RFC 3986: everything but letters, digits and `-_.~`. */
const escaped = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
