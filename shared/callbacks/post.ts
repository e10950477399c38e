import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { CALLBACK_TIMEOUT_MS, type CallbackOutcome } from '../agent/outbound/callback.ts';
import { parsePublicUrl } from '../egress/addresses.ts';
import { AddressRefused, lookupPublic, type Resolve, systemResolve } from '../egress/lookup.ts';

export interface PostOptions {
  /** For the laptop: this machine may be called, over HTTP. */
  readonly allowLoopback: boolean;
  /** Ours asks the system, as every connection of Node does. */
  readonly resolve?: Resolve;
  /** Ours is {@link CALLBACK_TIMEOUT_MS}. */
  readonly timeoutMs?: number;
}

/** What is posted: bytes that are signed already. */
export interface Parcel {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Headers of an answer that are read at most, in bytes. Of its body nothing is. */
const MAX_HEADERS = 8_192;

/**
 * Posts to a URL that somebody else chose. The name is resolved here, each address is looked at, and the connection is
 * made to what was looked at and nothing else: a name that leads elsewhere a moment later (DNS rebinding) leads
 * nowhere. One refused address among several refuses them all. Redirects are answers like any other: not followed.
 */
export function createPost({
  allowLoopback,
  resolve = systemResolve,
  timeoutMs = CALLBACK_TIMEOUT_MS,
}: PostOptions): (parcel: Parcel) => Promise<CallbackOutcome> {
  return async ({ url: text, headers, body }) => {
    const parsed = parsePublicUrl(text, allowLoopback);
    if ('refused' in parsed) return { kind: 'failed', code: REFUSED };
    const { url } = parsed;
    const options: RequestOptions = {
      method: 'POST',
      // A connection of its own: one from a pool was made for somebody else's URL.
      agent: false,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      lookup: lookupPublic(allowLoopback, resolve),
      maxHeaderSize: MAX_HEADERS,
      signal: AbortSignal.timeout(timeoutMs),
    };
    try {
      return await send(
        url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options),
        body,
      );
    } catch (error) {
      return { kind: 'failed', code: codeOf(error) };
    }
  };
}

const REFUSED = 'address_refused';

function send(request: ClientRequest, body: string): Promise<CallbackOutcome> {
  return new Promise((resolve, reject) => {
    request.on('response', (response) => {
      const status = response.statusCode ?? 0;
      const retryAfterMs = retryAfter(response.headers['retry-after']);
      resolve({ kind: 'answered', status, ...(retryAfterMs !== undefined && { retryAfterMs }) });
      response.destroy();
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Only seconds: a date would be read by our clock. */
const retryAfter = (header: string | undefined): number | undefined =>
  header && /^\d{1,7}$/.test(header) ? Number(header) * 1000 : undefined;

/** What may be said of a failure: nothing that a receiver wrote. */
function codeOf(error: unknown): string {
  if (error instanceof AddressRefused) return REFUSED;
  const { name, code } = error as { name?: string; code?: unknown };
  if (name === 'TimeoutError' || name === 'AbortError') return 'timeout';
  return typeof code === 'string' && /^[A-Z_0-9]{1,64}$/.test(code) ? code : 'failed';
}
