import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Refuse } from './door.ts';

/** Names under which the embedded services are reached on this machine. A page can point any other name here (DNS rebinding). */
const LOCAL_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\]|[\w.-]+\.localhost)(?::\d+)?$/;

/**
 * Keeps pages of a browser on this machine away from an embedded service: on AWS they have no credentials, and here the services take any.
 * Refuses requests that a page sends, that name another host, or that are not signed. Signed links of S3 are left to the bucket's own rules.
 * Intercepts the server, in the same process.
 */
export function refusePages(server: Server, refuse: (target: string) => Refuse): void {
  const emit = server.emit.bind(server);
  server.emit = (event: string, ...args: unknown[]): boolean => {
    if (event !== 'request') return emit(event, ...args);
    const [request, response] = args as [IncomingMessage, ServerResponse];
    const why = whyRefused(request);
    if (why === undefined) return emit(event, request, response);
    refuse(String(request.headers['x-amz-target'] ?? ''))(response, why);
    return true;
  };
}

/** Why a request is refused; undefined if it is not. Pure. */
export function whyRefused({
  headers,
  url = '/',
}: Pick<IncomingMessage, 'headers' | 'url'>): string | undefined {
  if (!LOCAL_HOST.test(headers.host ?? ''))
    return `The embedded stack does not answer to the host ${headers.host ?? 'of no name'}.`;
  if (url.includes('X-Amz-Signature=')) return undefined;
  const site = headers['sec-fetch-site'];
  if (headers.origin !== undefined || (site !== undefined && site !== 'none'))
    return 'The embedded stack takes no requests from web pages. Use its HTTP API, or an SDK with credentials.';
  if (headers.authorization === undefined)
    return 'The request is not signed. Use an SDK, with any credentials whose key does not begin with "local-".';
  return undefined;
}
