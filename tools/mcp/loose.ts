import type { Client, JSONRPCMessage } from '@modelcontextprotocol/client';

/** The fields of an object; none for any other value. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

/** A text; undefined for any other value. */
export const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/**
 * Reads results before the client does. The client refuses a whole result for one field of a wrong type, which suits a
 * test of servers but loses the outcome of a call.
 */
export function readingResults(
  { transport }: Client,
  read: (result: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): void {
  if (!transport) return;
  const { onmessage: receive } = transport;
  transport.onmessage = (message, extra) => {
    const loose = 'result' in message ? { ...message, result: read(fieldsOf(message.result)) } : message;
    receive?.(loose as JSONRPCMessage, extra);
  };
}
