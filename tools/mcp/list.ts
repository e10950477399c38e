import type { ListContext, ToolDeclaration } from '../../shared/agent/define/index.ts';
import { withServer } from './connection.ts';
import { declarationsOf } from './listing.ts';
import type { McpServerOptions } from './options.ts';
import { capabilitiesOf } from './questions.ts';

/** Asks a server for its tools. Rejects with a sentence when it does not tell. */
export async function listTools(
  options: McpServerOptions,
  context: ListContext,
): Promise<readonly ToolDeclaration[]> {
  const making = { fresh: true, capabilities: capabilitiesOf(options) };
  const { tools } = await withServer(options, context, making, ({ client, signal }) =>
    client.listTools(undefined, { signal }),
  );
  return declarationsOf(tools, options);
}
