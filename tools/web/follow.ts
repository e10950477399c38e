import type { EgressInit, ToolServices } from '../../shared/agent/define/index.ts';
import { type Hosts, refusalOf } from '../plain/hosts.ts';

/** Most redirects that are followed. */
const MAX_REDIRECTS = 5;

/**
 * Fetches a URL, and checks each redirect before it follows it: an allowed address must not lead to a forbidden one.
 * The egress checks that the address is public. Rejects with a sentence.
 */
export async function follow(
  asked: string,
  hosts: Hosts,
  init: EgressInit,
  fetch: ToolServices['fetch'],
): Promise<Response> {
  let url = URL.parse(asked);
  let method = init.method ?? 'GET';
  for (let hop = 0; ; hop++) {
    if (!url) throw new Error('This is no URL: it begins with https:// and has a host.');
    if (url.username || url.password)
      throw new Error('A URL with a name or a password in it is not fetched.');
    const refused = refusalOf(url, hosts);
    if (refused) throw new Error(refused);
    const response = await fetch(url, { ...init, method, redirect: 'manual' });
    const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
    if (location === null) return response;
    await response.body?.cancel();
    if (hop === MAX_REDIRECTS) throw new Error(`There were more than ${MAX_REDIRECTS} redirects.`);
    // Only a request without a body is redirected with the same method.
    if (method !== 'GET' && method !== 'HEAD')
      throw new Error(
        `The answer redirects to ${location.slice(0, 200)}, which is not followed for a ${method}.`,
      );
    if (response.status === 303 && method !== 'HEAD') method = 'GET';
    url = URL.parse(location, url.href);
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
