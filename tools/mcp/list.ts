import type { Client } from '@modelcontextprotocol/client';
import { type ListContext, type ToolDeclaration, UnusableSource } from '../../shared/agent/define/index.ts';
import { plainText } from '../../shared/contract/plain-text.ts';
import { MAX_PAGES, withServer } from './connection.ts';
import { Told } from './failures.ts';
import { declarationsOf } from './listing.ts';
import type { McpServerOptions } from './options.ts';
import { capabilitiesOf } from './questions.ts';
import { readTool, toolsPassing } from './read-tool.ts';
import { readingTool } from './resources.ts';

/** Asks a server for its tools. Rejects with a sentence if it does not answer, or has none of those that `allow` names. */
export async function listTools(
  options: McpServerOptions,
  context: ListContext,
): Promise<readonly ToolDeclaration[]> {
  const making = { fresh: true, capabilities: capabilitiesOf(options) };
  return withServer(options, context, making, async ({ client, signal }) => {
    const tools = await toolsOf(client, signal);
    const taken = declarationsOf(tools, options);
    if (options.allow && options.allow.length > 0 && taken.length === 0)
      throw new UnusableSource(noneOf(tools, options));
    const reading = options.resources ? await readingTool(client, options, signal) : [];
    return [...taken, ...reading];
  });
}

/** All pages. A repeated cursor would loop: then the list ends with what has come. */
async function toolsOf(client: Client, signal: AbortSignal): Promise<readonly unknown[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const tools = toolsPassing(client);
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    cursor = (await client.request({ method: 'tools/list', params }, { signal })).nextCursor;
    if (!cursor || seen.has(cursor)) return tools;
    seen.add(cursor);
  }
  throw new Told(`lists its tools on more than ${MAX_PAGES} pages`);
}

/**
 * An agent that lost all of its tools to a misspelled name would only say that it cannot help, and its users would not
 * know why.
 */
function noneOf(tools: readonly unknown[], { name, allow = [] }: McpServerOptions): string {
  const names = tools.map((tool) => readTool(tool).name);
  const listed = plainText(names.join(', ') || 'none', MAX_LISTED);
  return `the MCP server ${name} lists none of the tools that \`allow\` takes (${allow.join(', ')}). It lists: ${listed}`;
}

/** Most characters of the server's tool names in the error. */
const MAX_LISTED = 500;
