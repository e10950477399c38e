import type { FetchLike } from '@modelcontextprotocol/client';
import type { ListContext } from '../../shared/agent/define/index.ts';
import { askedIn, soundResponse, soundStream } from './answers.ts';
import { Told } from './failures.ts';

/** Seconds for each request of a handshake, and for the list. */
const HANDSHAKE_SECONDS = 10;
/** Seconds of the longest call. The call's own signal ends it earlier. */
const CALL_SECONDS = 840;

/**
 * Most requests of one call: a list of many pages, or several rounds. A server that breaks off each stream could
 * otherwise make the client reconnect for ever.
 */
const MAX_REQUESTS = 64;

/** The network access of one call, or one listing. */
export interface Wire {
  /** For requests to the server itself. */
  readonly fetch: FetchLike;
  /** For a token server. It follows no redirect: the request contains a secret. */
  readonly fetchToken: FetchLike;
  /** Ends the handshake: from now on a request may take as long as a call. */
  connected(): void;
}

/** A server's address, and how much it may send. */
export interface ServerAddress {
  readonly url: URL;
  readonly privateNetwork: boolean;
  readonly maxBytes: number;
  /** Whether the server's answers come over one stream, which lasts as long as the call: the older transport. */
  readonly listens: boolean;
}

/**
 * The guarded `fetch` of the call, or the platform's for a server in the user's own network, with a limit over all
 * requests of the call.
 *
 * @param over ends the call: the server has sent, or asked for, more than it may, or will not answer
 */
export function wireTo(
  { url, privateNetwork, maxBytes, listens }: ServerAddress,
  { services, signal }: Pick<ListContext, 'services' | 'signal'>,
  over: (error: Error) => void,
): Wire {
  let seconds = HANDSHAKE_SECONDS;
  let left = maxBytes;
  let requests = 0;
  const end = (why: string): never => {
    const error = new Told(why);
    over(error);
    throw error;
  };

  const send = async (to: string | URL, init: RequestInit, forSeconds = seconds): Promise<Response> => {
    requests += 1;
    if (requests > MAX_REQUESTS) end(`wanted more than ${MAX_REQUESTS} requests`);
    const response = privateNetwork
      ? await fetch(to, {
          ...init,
          signal: AbortSignal.any([
            ...(init.signal ? [init.signal] : []),
            signal,
            AbortSignal.timeout(forSeconds * 1000),
          ]),
        })
      : await services.fetch(to, { ...init, maxBytes: MOST_BYTES, timeoutSeconds: forSeconds });
    if (!response.body) return response;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.byteLength;
        if (left < 0) end(`sent more than ${maxBytes.toLocaleString('en-US')} bytes`);
        controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
  };

  return {
    async fetch(to, init = {}) {
      // A token is for its server only. The transport stays with its origin as well.
      if (new URL(to).origin !== url.origin) throw new Error(`${new URL(to).origin} is not ${url.origin}`);
      // The server's own stream is not opened: nothing listens between calls. A stream that broke off during a call is
      // resumed.
      const isStream = init.method === 'GET' || (listens && init.method === undefined);
      if (isStream && !listens && !new Headers(init.headers).has('last-event-id'))
        return new Response(null, { status: 405 });
      const response = await send(
        to,
        { ...init, redirect: 'manual' },
        isStream && listens ? CALL_SECONDS : seconds,
      );
      if (isStream) return response.body && response.ok ? streamed(response, response.body) : response;
      // Over the older transport, answers come over its stream.
      if (listens) return response;
      const hadSession = new Headers(init.headers).has('mcp-session-id');
      const fail = (error: Error) => {
        if (!signal.aborted) over(error);
      };
      return soundResponse(response, { asked: askedIn(init), hadSession, fail });
    },
    fetchToken: (to, init = {}) => send(to, { ...init, redirect: 'error' }),
    connected() {
      seconds = CALL_SECONDS;
    },
  };
}

const streamed = ({ status, statusText, headers }: Response, body: ReadableStream<Uint8Array>): Response =>
  new Response(soundStream(body), { status, statusText, headers });

/** The guarded `fetch`'s own maximum; this call's limit is enforced below. */
const MOST_BYTES = 50_000_000;
