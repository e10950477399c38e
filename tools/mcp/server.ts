import { defineToolSource, type ToolSource } from '../../shared/agent/define/index.ts';
import { orMissing } from '../plain/missing.ts';
import { checkOptions, type McpServerOptions, READ_RESOURCE, secretOf } from './options.ts';

/**
 * The tools of an MCP server, over streamable HTTP (docs/mcp.md). They are listed when a session begins, and the
 * session keeps the list; a step that calls none of them sends the server nothing. Throws with all errors if the
 * options are invalid.
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
  return defineToolSource({
    name,
    ...(optional && { optional }),
    ...(queue.length > 0 && { queue: true }),
    ...(typeof url !== 'string' && { settings: [url.setting] }),
    ...(auth && { secrets: [secretOf(auth)] }),
    list: async (context) => (await use()).listTools(options, context),
    get: (tool) => async (input, context) => {
      const { callTool, readResource } = await use();
      return options.resources && tool.name === READ_RESOURCE
        ? readResource(options, input, context)
        : callTool(options, tool, input, context);
    },
  });
}

const use = () =>
  import('./use.ts').catch((error: unknown) => {
    throw orMissing(error, '@modelcontextprotocol/client', 'steploop/mcp');
  });
