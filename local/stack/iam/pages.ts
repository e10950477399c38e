import type { IncomingMessage, Server } from 'node:http';
import { intercept, queryOf } from './door.ts';
import type { Refuse } from './refusals.ts';

/** Names under which the embedded services are reached on this machine. A page can point any other name here (DNS rebinding). */
const LOCAL_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\]|[\w.-]+\.localhost)(?::\d+)?$/;

/**
 * Keeps pages of a browser on this machine away from an embedded service: on AWS they have no credentials, and here everybody
 * can make some. Refuses requests that a page sends, that name another host, or that are not signed. Intercepts the server, in the
 * same process.
 *
 * @param isOpen requests that the service checks itself, by another rule
 */
export function refusePages(
  server: Server,
  refuse: (target: string) => Refuse,
  isOpen: (query: URLSearchParams) => boolean = () => false,
): void {
  intercept(server, (request, response, pass) => {
    const why = whyRefused(request, isOpen);
    if (why === undefined) pass(request, response);
    else refuse(String(request.headers['x-amz-target'] ?? ''))(response, { kind: 'denied', message: why });
  });
}

/** Why a request is refused; undefined if it is not. Pure. */
export function whyRefused(
  { headers, url = '/' }: Pick<IncomingMessage, 'headers' | 'url'>,
  isOpen: (query: URLSearchParams) => boolean = () => false,
): string | undefined {
  if (!LOCAL_HOST.test(headers.host ?? ''))
    return `The embedded stack does not answer to the host ${headers.host ?? 'of no name'}.`;
  if (isOpen(queryOf(url))) return undefined;
  const site = headers['sec-fetch-site'];
  if (headers.origin !== undefined || (site !== undefined && site !== 'none'))
    return 'The embedded stack takes no requests from web pages. Use its HTTP API, or an SDK with credentials.';
  if (headers.authorization === undefined)
    return 'The request is not signed. Use an SDK, with any access key that does not begin with "local-", and the same text as its secret.';
  return undefined;
}
