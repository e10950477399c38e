import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { CALLBACK_TIMEOUT_MS, type CallbackOutcome } from '../agent/outbound/callback.ts';
import { defined } from '../agent/plain/defined.ts';
import { parsePublicUrl } from '../egress/addresses.ts';
import { AddressRefused, lookupPublic, type Resolve, systemResolve } from '../egress/lookup.ts';

export interface PostOptions {
  /** For the laptop: this machine may be called, over HTTP. */
  readonly allowLoopback: boolean;
  /** The default asks the system, as every connection of Node does. */
  readonly resolve?: Resolve;
  /** The default is {@link CALLBACK_TIMEOUT_MS}. */
  readonly timeoutMs?: number;
}

/** A request to post: its bytes are already signed. */
export interface Parcel {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Limit in bytes for the headers of an answer. Its body is not read. */
const MAX_HEADERS = 8_192;

/**
 * Posts to a URL that an outsider chose. The name is resolved here, each address is checked, and the connection is made
 * to the checked address and nothing else, so a name that leads elsewhere a moment later (DNS rebinding) has no effect.
 * One refused address among several refuses them all. Redirects are answers like any other, and are not followed.
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
      // A connection of its own: a pooled one would have been made for another URL.
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
      const { 'retry-after': after, date } = response.headers;
      const retryAfterMs = retryAfter(after, date);
      resolve({ kind: 'answered', status, ...defined({ retryAfterMs }) });
      response.destroy();
    });
    request.on('error', reject);
    request.end(body);
  });
}

/**
 * The wait that a receiver asks for, in ms: seconds, or a date (RFC 9110, 10.2.3). A date is compared with the receiver's own
 * clock if it says what that shows, and with ours otherwise.
 */
function retryAfter(header: string | undefined, date: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,7}$/.test(header)) return Number(header) * 1000;
  const until = dateIn(header);
  return until === undefined ? undefined : Math.max(0, until - (dateIn(date) ?? Date.now()));
}

/** Epoch ms of a date in the form that HTTP requires of senders. Other texts are none: Date would read almost anything. */
function dateIn(header: string | undefined): number | undefined {
  if (!header || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(header))
    return undefined;
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : time;
}

/** The part of a failure that may be reported: nothing that a receiver wrote. */
function codeOf(error: unknown): string {
  if (error instanceof AddressRefused) return REFUSED;
  const { name, code } = error as { name?: string; code?: unknown };
  if (name === 'TimeoutError' || name === 'AbortError') return 'timeout';
  return typeof code === 'string' && /^[A-Z_0-9]{1,64}$/.test(code) ? code : 'failed';
}
