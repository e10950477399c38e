import type { ToolServices } from '../../shared/agent/define/index.ts';
import { follow } from '../web/follow.ts';
import type { Fetched, FetchInit } from './protocol.ts';

/** Bytes of an answer, unpacked. */
const MAX_BYTES = 5_000_000;
/** Seconds until it must be there. */
const SECONDS = 30;
/** What a script may do with a host that it may ask. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** What `curl` asks with: the guarded fetch of the deployment, and only the hosts that are allowed. */
export const fetchFor =
  (hosts: readonly string[] | undefined, fetch: ToolServices['fetch']) =>
  async (url: string, init: FetchInit, signal: AbortSignal): Promise<Fetched> => {
    if (!hosts) throw new Error('There is no network.');
    const method = init.method ?? 'GET';
    if (!METHODS.has(method)) throw new Error(`${method} is no method that may be asked with.`);
    const asked = { ...init, method, signal, maxBytes: MAX_BYTES, timeoutSeconds: SECONDS };
    const response = await follow(url, { allow: hosts }, asked, fetch);
    return {
      status: response.status,
      statusText: response.statusText,
      headers: Object.fromEntries(response.headers),
      body: new Uint8Array(await response.arrayBuffer()),
      url: response.url || url,
    };
  };
