import type { Client, JSONRPCMessage } from '@modelcontextprotocol/client';

/** The fields of an object; none of anything else. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

/** A text; undefined of anything else. */
export const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/**
 * Reads results before the client does. The client refuses a whole result for one field of a wrong type, which is right in a test of
 * servers and loses what a call has done.
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
