import type { Tool } from '@modelcontextprotocol/client';
import type { ListContext, ToolDeclaration } from '../../shared/agent/define/index.ts';
import { withServer } from './connection.ts';
import { declarationsOf } from './listing.ts';
import type { McpServerOptions } from './options.ts';
import { plainText } from './plain-text.ts';
import { capabilitiesOf } from './questions.ts';
import { readingTool } from './resources.ts';

/** Asks a server for its tools. Rejects with a sentence when it does not tell, or has none of those that `allow` names. */
export async function listTools(
  options: McpServerOptions,
  context: ListContext,
): Promise<readonly ToolDeclaration[]> {
  const making = { fresh: true, capabilities: capabilitiesOf(options) };
  return withServer(options, context, making, async ({ client, signal }) => {
    const { tools } = await client.listTools(undefined, { signal });
    const taken = declarationsOf(tools, options);
    if (options.allow && options.allow.length > 0 && taken.length === 0)
      throw new Error(noneOf(tools, options));
    const reading = options.resources ? await readingTool(client, options, signal) : [];
    return [...taken, ...reading];
  });
}

/** An agent that has lost all of its tools by a name that is written wrong would say that it cannot help, and nobody would know why. */
function noneOf(tools: readonly Tool[], { name, allow = [] }: McpServerOptions): string {
  const listed = plainText(tools.map((tool) => tool.name).join(', ') || 'none', MAX_LISTED);
  return `the MCP server ${name} lists none of the tools that \`allow\` takes (${allow.join(', ')}). It lists: ${listed}`;
}

/** Characters of the names of a server's tools, where they are told. */
const MAX_LISTED = 500;
