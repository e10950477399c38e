import type { ListedTool, ToolContext } from '../../shared/agent/define/index.ts';
import { ServerFailure, withServer } from './connection.ts';
import type { McpServerOptions } from './options.ts';
import { textOf } from './results.ts';

/** ms that the client's own clock waits: longer than any call, whose signal ends it. */
const NEVER_MS = 900_000;

/** Runs one call at its server. Rejects with what the server calls an error, and when there is no answer. */
export async function callTool(
  options: McpServerOptions,
  { name, input: inputSchema }: ListedTool,
  input: unknown,
  context: ToolContext<string, string>,
): Promise<unknown> {
  const call = { name, arguments: input as Record<string, unknown> };
  // Some arguments go along as headers when the schema says so. What the result should look like is not asked.
  const toolDefinition = { name, inputSchema: inputSchema as { type: 'object' } };
  const result = await withServer(
    options,
    context,
    { fresh: false, capabilities: {} },
    ({ client, signal }) => client.callTool(call, { signal, timeout: NEVER_MS, toolDefinition }),
  ).catch((error) => {
    throw error instanceof ServerFailure ? new Error(`${ranOrNot(name, error)}: ${error.message}`) : error;
  });
  const text = textOf(result);
  if (result.isError) throw new Error(text);
  return text;
}

const ranOrNot = (name: string, { mayHaveRun }: ServerFailure): string =>
  mayHaveRun ? `whether ${name} has run is not known` : `${name} was not run`;
