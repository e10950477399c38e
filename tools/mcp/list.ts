import type { ListContext, ToolDeclaration } from '../../shared/agent/define/index.ts';
import { withServer } from './connection.ts';
import { declarationsOf } from './listing.ts';
import type { McpServerOptions } from './options.ts';
import { capabilitiesOf } from './questions.ts';
import { readingTool } from './resources.ts';

/** Asks a server for its tools. Rejects with a sentence when it does not tell. */
export async function listTools(
  options: McpServerOptions,
  context: ListContext,
): Promise<readonly ToolDeclaration[]> {
  const making = { fresh: true, capabilities: capabilitiesOf(options) };
  return withServer(options, context, making, async ({ client, signal }) => {
    const { tools } = await client.listTools(undefined, { signal });
    const reading = options.resources ? await readingTool(client, options, signal) : [];
    return [...declarationsOf(tools, options), ...reading];
  });
}
