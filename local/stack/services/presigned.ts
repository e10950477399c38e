import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import { intercept } from '../iam/door.ts';
import { refuseXml } from '../iam/refusals.ts';
import { refusalOfLink } from '../iam/signature.ts';

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
        else
          refuseXml(response, {
            kind: 'denied',
            message: 'CORSResponse: This CORS request is not allowed.',
          });
        return;
      }
      for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
    }
    const { method = 'GET', headers } = request;
    if (!isSignedLink(url.searchParams)) return void pass(request, response);
    const refusal = refusalOfLink({ method, url: request.url ?? '/', headers, body: undefined }, Date.now());
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
