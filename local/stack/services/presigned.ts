import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import { intercept, refuseXml } from '../iam/door.ts';

/** One of a bucket's CORS rules (AWS::S3::Bucket CorsRule). */
export interface CorsRule {
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  readonly headers: readonly string[];
}

/**
 * Adds behaviour of S3's signed links that fauxqs lacks: requests must match what was signed and when, and pages of other origins
 * may use a link as the bucket's rules say. Intercepts the server, in the same process.
 *
 * @param rulesOf the CORS rules of a bucket
 */
export function standBeforeLinks(server: Server, rulesOf: (bucket: string) => readonly CorsRule[]): void {
  intercept(server, (request, response, pass) => {
    const url = new URL(request.url ?? '/', 'http://s3');
    const origin = request.headers.origin;
    if (origin !== undefined) {
      const rules = rulesOf(url.pathname.split('/')[1] ?? '');
      const headers = corsHeaders(rules, origin, request);
      if (request.method === 'OPTIONS') {
        if (headers) response.writeHead(200, headers).end();
        else refuseXml(response, 'CORSResponse: This CORS request is not allowed.');
        return;
      }
      for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
    }
    if (!isSignedLink(url.searchParams)) return void pass(request, response);
    const refusal = refusalOf(request, url.searchParams, url.pathname);
    if (refusal === undefined) pass(request, withHeaders(response, answeredAs(url)));
    else refuseXml(response, refusal);
  });
}

/** Whether the query of a URL has a signature, which {@link standBeforeLinks} checks. */
export const isSignedLink = (query: URLSearchParams): boolean => query.has('X-Amz-Signature');

function corsHeaders(
  rules: readonly CorsRule[],
  origin: string,
  { method, headers }: IncomingMessage,
): Record<string, string> | undefined {
  const wanted = headers['access-control-request-method'] ?? method ?? '';
  const asked = String(headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  const rule = rules.find(
    (one) =>
      (one.origins.includes('*') || one.origins.includes(origin)) &&
      one.methods.includes(wanted) &&
      asked.every((name) => one.headers.includes('*') || one.headers.includes(name)),
  );
  return (
    rule && {
      'access-control-allow-origin': rule.origins.includes('*') ? '*' : origin,
      'access-control-allow-methods': rule.methods.join(', '),
      ...(asked.length > 0 && { 'access-control-allow-headers': asked.join(', ') }),
    }
  );
}

/** Response headers that a link sets (`response-content-type` and others). */
function answeredAs({ searchParams }: URL): Record<string, string> {
  const named = [...searchParams].filter(([name]) => name.startsWith('response-'));
  return Object.fromEntries(named.map(([name, value]) => [name.slice('response-'.length), value]));
}

/** The response, with these headers in place of the object's own. */
function withHeaders(response: ServerResponse, over: Record<string, string>): ServerResponse {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = (status: number, headers?: unknown) =>
    writeHead(status, { ...(headers as OutgoingHttpHeaders), ...(status < 300 && over) });
  return response;
}

/** Signs the received request again (Signature Version 4 in a query), and compares. */
function refusalOf(request: IncomingMessage, query: URLSearchParams, path: string): string | undefined {
  const of = (name: string) => query.get(name) ?? '';
  if (!(Date.now() < timeOf(of('X-Amz-Date')) + Number(of('X-Amz-Expires')) * 1000))
    return 'Request has expired';
  const [accessKey = '', ...scope] = of('X-Amz-Credential').split('/');
  const names = of('X-Amz-SignedHeaders').split(';');
  const canonical = [
    request.method,
    path,
    [...query]
      .filter(([name]) => name !== 'X-Amz-Signature')
      .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    '',
    names.join(';'),
    'UNSIGNED-PAYLOAD',
  ].join('\n');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', of('X-Amz-Date'), scope.join('/'), digest].join('\n');
  const key = scope.reduce<Buffer>(hmac, Buffer.from(`AWS4${secretOf(accessKey)}`));
  if (isEqual(hmac(key, text).toString('hex'), of('X-Amz-Signature'))) return undefined;
  return 'SignatureDoesNotMatch: the request has another method, path, length or type than was signed';
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Functions here share one secret (`lambda/variables.ts`); for other callers it is their key. */
const secretOf = (accessKey: string): string => (accessKey.startsWith('local-') ? 'local' : accessKey);

/** Epoch ms of `20261122T120130Z`. */
const timeOf = (text: string): number =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'));

const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** RFC 3986. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
