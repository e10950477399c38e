import type { ToolServices } from '../../shared/agent/define/index.ts';
import { follow } from '../web/follow.ts';
import type { Fetched, FetchInit } from './protocol.ts';

/** Most bytes of an answer, uncompressed. */
const MAX_BYTES = 5_000_000;
/** Seconds until the answer must be complete. */
const SECONDS = 30;
/** Methods that a script may use with an allowed host. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The `fetch` behind `curl`: the deployment's guarded fetch, limited to the allowed hosts. */
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
