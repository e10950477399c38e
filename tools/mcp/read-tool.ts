import type { Client } from '@modelcontextprotocol/client';
import { defined } from '../../shared/agent/plain/defined.ts';
import { fieldsOf, readingResults, textIn } from './loose.ts';
import type { McpTool } from './options.ts';

/** A tool as its server lists it, with the fields that are used here. */
export interface ListedTool extends McpTool {
  /** Empty if the server gives none: no session takes such a tool. */
  readonly name: string;
  readonly inputSchema: unknown;
  /** Whether it can be called only as a task of the older protocol, which the newer one no longer has. */
  readonly needsTask: boolean;
}

/**
 * Takes the tools out of a server's list before the client reads it. In either generation of the protocol the client
 * refuses a whole list for one field of a wrong type (kenn-io/msgvault#626, ThinkInAIXYZ/deepchat#2075: an
 * `outputSchema` that is no object). The client reads the list without its tools, but with the other fields.
 *
 * @returns the tools of all lists from now on, in order, as they come
 */
export function toolsPassing(client: Client): readonly unknown[] {
  const passed: unknown[] = [];
  readingResults(client, ({ tools, nextCursor, ...result }) => {
    if (!Array.isArray(tools)) return { ...result, tools, nextCursor };
    passed.push(...tools);
    const cursor = textIn(nextCursor);
    return { ...result, tools: [], ...defined({ nextCursor: cursor }) };
  });
  return passed;
}

/**
 * One entry of a list, whatever its type: a field of a wrong type counts as absent. The schema of results
 * (`outputSchema`) is not read.
 */
export function readTool(listed: unknown): ListedTool {
  const { name, title, description, inputSchema, annotations, execution } = fieldsOf(listed);
  const hints = fieldsOf(annotations);
  const shown = textIn(title) ?? textIn(hints.title);
  const told = textIn(description);
  return {
    name: textIn(name) ?? '',
    inputSchema,
    needsTask: fieldsOf(execution).taskSupport === 'required',
    ...defined({ title: shown, description: told }),
    annotations: Object.fromEntries(
      HINTS.flatMap((hint) => (typeof hints[hint] === 'boolean' ? [[hint, hints[hint]]] : [])),
    ),
  };
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];
