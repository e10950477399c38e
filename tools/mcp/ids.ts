import { randomInt } from 'node:crypto';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/** Most requests of one client: a handshake, a list, or the rounds of a call. */
const PER_CLIENT = 64;

/**
 * Gives a client's requests unique numbers. Each call has its own client, which counts from 0, and the calls of one
 * session share a server session, in which a number may stand for only one request: with two requests at once, a server
 * would mix up the answers.
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

/** Renumbers requests, and notifications about them. Answers to the server's own requests keep its numbers. */
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

/** Renumbers answers, and progress notifications. The server's own requests keep its numbers. */
function inward(message: JSONRPCMessage, base: number): JSONRPCMessage {
  if (!('method' in message)) return { ...message, id: shifted(message.id, -base) } as JSONRPCMessage;
  const { progressToken } = (message.params ?? {}) as Params;
  if (progressToken === undefined) return message;
  return {
    ...message,
    params: { ...message.params, progressToken: shifted(progressToken, -base) },
  } as JSONRPCMessage;
}
