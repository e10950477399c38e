import type { Client, JSONRPCMessage } from '@modelcontextprotocol/client';
import type { McpTool } from './options.ts';

/** A tool as its server lists it, as far as it is used here. */
export interface ListedTool extends McpTool {
  /** Empty when the server gives it none: no session takes such a tool. */
  readonly name: string;
  readonly inputSchema: unknown;
  /** It can be called only as a task of the older protocol, which its successor no longer has. */
  readonly needsTask: boolean;
}

/**
 * Takes the tools out of what a server lists, before the client reads it: that refuses a whole list for one field of a wrong type
 * (kenn-io/msgvault#626, ThinkInAIXYZ/deepchat#2075: an `outputSchema` that is no object), in either generation of the protocol. The client reads a
 * list without tools, with all that stands beside them.
 *
 * @returns the tools of all lists that come from now on, in order, as they come
 */
export function toolsPassing({ transport }: Client): readonly unknown[] {
  const passed: unknown[] = [];
  if (!transport) return passed;
  const { onmessage: receive } = transport;
  transport.onmessage = (message, extra) => receive?.(withoutTools(message, passed), extra);
  return passed;
}

function withoutTools(message: JSONRPCMessage, passed: unknown[]): JSONRPCMessage {
  if (!('result' in message)) return message;
  const { tools, nextCursor, ...result } = fieldsOf(message.result);
  if (!Array.isArray(tools)) return message;
  for (const tool of tools) passed.push(tool);
  const cursor = textIn(nextCursor);
  return {
    ...message,
    result: { ...result, tools: [], ...(cursor !== undefined && { nextCursor: cursor }) },
  };
}

/** One entry of a list, whatever it is: a field of a wrong type counts as absent. The schema of results (`outputSchema`) is not read. */
export function readTool(listed: unknown): ListedTool {
  const { name, title, description, inputSchema, annotations, execution } = fieldsOf(listed);
  const hints = fieldsOf(annotations);
  const shown = textIn(title) ?? textIn(hints.title);
  const told = textIn(description);
  return {
    name: textIn(name) ?? '',
    inputSchema,
    needsTask: fieldsOf(execution).taskSupport === 'required',
    ...(shown !== undefined && { title: shown }),
    ...(told !== undefined && { description: told }),
    annotations: Object.fromEntries(
      HINTS.flatMap((hint) => (typeof hints[hint] === 'boolean' ? [[hint, hints[hint]]] : [])),
    ),
  };
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
