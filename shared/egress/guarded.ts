import type { Egress, EgressInit } from '../agent/ports/egress.ts';
import type { Clock } from '../agent/ports/ports.ts';
import { parsePublicUrl } from './addresses.ts';

/** One request of the several into which redirects divide a fetch. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: Uint8Array<ArrayBuffer> | undefined;
  readonly signal: AbortSignal;
}

export interface HopAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | null;
}

/** Carries out one request, and follows no redirect. Rejects when there is no answer. */
export type Send = (hop: Hop) => Promise<HopAnswer>;

export interface EgressOptions {
  readonly send: Send;
  readonly clock: Pick<Clock, 'sleep'>;
  /** For the laptop: this machine may be called. */
  readonly allowLoopback: boolean;
}

/** Bounds of one fetch: the defaults, and the maxima that a caller may set. */
const BYTES = { usual: 5_000_000, most: 50_000_000 };
const SECONDS = { usual: 30, most: 840 };
/** Bytes of a request's body. */
const MAX_SENT = 10_000_000;
/** Redirects that are followed. Browsers follow 20, but legitimate targets need only a few. */
const MAX_REDIRECTS = 5;

/**
 * `fetch` for tools, which call where a model, or a page that it has read, tells them to: public addresses only, with
 * each redirect checked again, and bounded in time and size. Requests to another origin carry no headers that may
 * contain a secret.
 */
export function guardedEgress({ send, clock, allowLoopback }: EgressOptions): Egress {
  const looked = (url: URL): URL => {
    const parsed = parsePublicUrl(url.href, allowLoopback, true);
    if ('refused' in parsed) throw new Error(`${url.origin} is not fetched: the URL ${parsed.refused}`);
    return parsed.url;
  };

  async function follow(
    request: Request,
    body: Hop['body'],
    maxBytes: number,
    onEnd: () => void,
  ): Promise<Response> {
    const { redirect, signal } = request;
    let hop: Hop = {
      url: looked(new URL(request.url)),
      method: request.method,
      headers: headersOf(request.headers, (name) => !OURS.test(name)),
      body,
      signal,
    };
    for (let redirects = 0; ; redirects++) {
      const answer = await orAborted(send(hop), signal);
      const to = redirect === 'manual' ? undefined : targetOf(answer, hop.url);
      if (!to) return toResponse(answer, hop, redirects > 0, maxBytes, onEnd);
      await answer.body?.cancel();
      if (redirect === 'error') throw new Error(`${hop.url.origin} redirects, which was not to be followed`);
      if (redirects === MAX_REDIRECTS)
        throw new Error(`${request.url}: more than ${MAX_REDIRECTS} redirects`);
      hop = redirected(hop, answer.status, looked(to));
    }
  }

  return {
    async fetch(input, init = {}) {
      const { maxBytes = BYTES.usual, timeoutSeconds = SECONDS.usual, signal, ...asked } = init;
      assertWithin(maxBytes, BYTES.most, 'maxBytes');
      assertWithin(timeoutSeconds, SECONDS.most, 'timeoutSeconds');
      const over = new AbortController();
      const done = new AbortController();
      void clock.sleep(timeoutSeconds * 1000, done.signal).then(() => {
        if (!done.signal.aborted)
          over.abort(new Error(`there was no whole answer within ${timeoutSeconds} s`));
      });
      try {
        const request = new Request(String(input), {
          ...asked,
          signal: AbortSignal.any([over.signal, ...(signal ? [signal] : [])]),
        });
        return await follow(request, await bodyOf(request), maxBytes, () => done.abort('done'));
      } catch (error) {
        done.abort('done');
        // If the answer is not going to be read, its connection is closed.
        over.abort(error);
        throw error;
      }
    },
  };
}

function assertWithin(value: number, most: number, name: keyof EgressInit): void {
  if (!(value > 0 && value <= most)) throw new Error(`${name} must be above 0 and at most ${most}`);
}

async function bodyOf(request: Request): Promise<Hop['body']> {
  if (!request.body) return undefined;
  const body = new Uint8Array(await request.arrayBuffer());
  if (body.byteLength > MAX_SENT) throw new Error(`the body has more than ${MAX_SENT} bytes`);
  return body;
}

/** The caller may not set the headers of the connection and of the framing. */
const OURS =
  /^(?:host|connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*)$/;
/**
 * The headers that are sent on to another origin. The rest are dropped: a key may be in any header (`x-api-key`,
 * `private-token`), and the author of a page decides where it redirects.
 */
const NO_SECRET = /^(?:accept|accept-.*|content-.*|if-.*|range|user-agent)$/;
const OF_BODY = /^content-/;
const headersOf = (headers: Headers, kept: (name: string) => boolean): Headers =>
  new Headers([...headers].filter(([name]) => kept(name)));

/** The target of a redirect, if the answer is one. */
function targetOf({ status, headers }: HopAnswer, from: URL): URL | undefined {
  const location = [301, 302, 303, 307, 308].includes(status) ? headers.get('location') : null;
  if (location === null) return undefined;
  const to = URL.parse(location, from.href);
  if (!to) throw new Error(`${from.origin} redirects to what is no URL`);
  return to;
}

/**
 * As the Fetch standard defines it: a form that was posted is not posted again, unless the server asks for it (307,
 * 308).
 */
function redirected({ url, method, headers, body, signal }: Hop, status: number, to: URL): Hop {
  const asGet = status === 303 ? method !== 'HEAD' : (status === 301 || status === 302) && method === 'POST';
  const isElsewhere = to.origin !== url.origin;
  return {
    url: to,
    method: asGet ? 'GET' : method,
    headers: headersOf(
      headers,
      (name) => !(asGet && OF_BODY.test(name)) && (!isElsewhere || NO_SECRET.test(name)),
    ),
    ...(!asGet && { body }),
    signal,
  };
}

/** Gives up on the promise when the signal aborts, even if a server, or a fake of one, does not stop for it. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Statuses that have no body by definition. */
const BODILESS: readonly number[] = [204, 205, 304];

/** @param onEnd called when the whole answer has been read, or is given up: its time no longer counts */
function toResponse(
  { status, headers, body }: HopAnswer,
  hop: Hop,
  redirected: boolean,
  maxBytes: number,
  onEnd: () => void,
): Response {
  if (status < 200 || status > 599) throw new Error(`${hop.url.origin} answered with the status ${status}`);
  const told = Number(headers.get('content-length') ?? 0);
  const isBodiless = BODILESS.includes(status) || hop.method === 'HEAD';
  if (!isBodiless && told > maxBytes) {
    void body?.cancel();
    throw tooLarge(maxBytes);
  }
  const read = isBodiless || !body ? null : bounded(body, maxBytes, hop.signal, onEnd);
  if (!read) {
    // The body is not read, so its connection is closed.
    void body?.cancel();
    onEnd();
  }
  const response = new Response(read, { status, headers });
  Object.defineProperties(response, { url: { value: hop.url.href }, redirected: { value: redirected } });
  return response;
}

const tooLarge = (maxBytes: number) => new Error(`the answer has more than ${maxBytes} bytes`);

function bounded(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  let left = maxBytes;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.byteLength;
      if (left < 0) throw tooLarge(maxBytes);
      controller.enqueue(chunk);
    },
    flush: onEnd,
  });
  signal.addEventListener('abort', onEnd, { once: true });
  return body.pipeThrough(counted, { signal });
}
