import { randomInt } from 'node:crypto';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/** Requests that one client makes at most: a handshake, a list, or the rounds of a call. */
const PER_CLIENT = 64;

/**
 * Gives the requests of a client numbers of their own. Each call has a client, which counts from 0, and those of one session share a session of
 * the server's, where a number may stand for one request only: a server that is asked two things at once would mix the answers up.
 */
export function withOwnIds(transport: Transport): void {
  const base = randomInt(1, 2 ** 25) * PER_CLIENT;
  const send = transport.send.bind(transport);
  const { onmessage: receive } = transport;
  transport.send = (message, options) =>
    send(Array.isArray(message) ? message : outward(message, base), options);
  transport.onmessage = (message, extra) => receive?.(inward(message, base), extra);
}

type Params = {
  readonly requestId?: unknown;
  readonly progressToken?: unknown;
  readonly _meta?: { readonly progressToken?: unknown };
};

const shifted = (id: unknown, by: number) => (typeof id === 'number' ? id + by : id);

/** Requests, and what is said of them. Answers to the server's own keep its numbers. */
function outward(message: JSONRPCMessage, base: number): JSONRPCMessage {
  if (!('method' in message)) return message;
  const { requestId, _meta } = (message.params ?? {}) as Params;
  return {
    ...message,
    ...('id' in message && { id: shifted(message.id, base) }),
    ...(message.params && {
      params: {
        ...message.params,
        ...(requestId !== undefined && { requestId: shifted(requestId, base) }),
        ...(_meta?.progressToken !== undefined && {
          _meta: { ..._meta, progressToken: shifted(_meta.progressToken, base) },
        }),
      },
    }),
  } as JSONRPCMessage;
}

/** Answers, and what is said of progress. Requests of the server's own keep its numbers. */
function inward(message: JSONRPCMessage, base: number): JSONRPCMessage {
  if (!('method' in message)) return { ...message, id: shifted(message.id, -base) } as JSONRPCMessage;
  const { progressToken } = (message.params ?? {}) as Params;
  if (progressToken === undefined) return message;
  return {
    ...message,
    params: { ...message.params, progressToken: shifted(progressToken, -base) },
  } as JSONRPCMessage;
}
