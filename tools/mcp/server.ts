import { defineToolSource, type ToolSource } from '../../shared/agent/define/index.ts';
import { callTool } from './call.ts';
import { withServer } from './connection.ts';
import { secretsOf } from './credentials.ts';
import { declarationsOf } from './listing.ts';
import { checkOptions, type McpServerOptions } from './options.ts';
import { capabilitiesOf } from './questions.ts';

/**
 * The tools of an MCP server, over streamable HTTP (docs/mcp.md). They are listed when a session begins, and the session keeps them; a step
 * that calls none of them asks the server nothing. Throws with all that is wrong when options are not valid.
 *
 * @example
 * defineAgent({ …, toolSources: [mcpServer({
 *   name: 'docs', url: 'https://mcp.example.com/mcp', auth: { bearer: 'DOCS_TOKEN' },
 *   allow: ['search', 'publish'], effects: { search: 'read' },
 * })] });
 */
export function mcpServer(options: McpServerOptions): ToolSource {
  checkOptions(options);
  const { name, url, auth, optional, queue = [] } = options;
  const capabilities = capabilitiesOf(options);
  return defineToolSource({
    name,
    ...(optional && { optional }),
    ...(queue.length > 0 && { queue: true }),
    ...(typeof url !== 'string' && { settings: [url.setting] }),
    secrets: secretsOf(auth),
    list: async (context) => {
      const list = withServer(options, context, { fresh: true, capabilities }, ({ client, signal }) =>
        client.listTools(undefined, { signal }),
      );
      return declarationsOf((await list).tools, options);
    },
    get: (tool) => (input, context) => callTool(options, tool, input, context),
  });
}
