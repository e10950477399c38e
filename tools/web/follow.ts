import type { EgressInit, ToolServices } from '../../shared/agent/define/index.ts';
import { type Hosts, refusalOf } from '../plain/hosts.ts';

/** Redirects that are followed. */
const MAX_REDIRECTS = 5;

/**
 * Fetches a URL, and looks at each redirect before it is followed: what is allowed must not lead to what is not. That the
 * address is a public one is the egress's to see. Rejects with a sentence.
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
    // Only what has no body is followed with the method that it had.
    if (method !== 'GET' && method !== 'HEAD')
      throw new Error(
        `The answer redirects to ${location.slice(0, 200)}, which is not followed for a ${method}.`,
      );
    if (response.status === 303 && method !== 'HEAD') method = 'GET';
    url = URL.parse(location, url.href);
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
