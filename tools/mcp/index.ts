/** `steploop/mcp`: servers that speak the Model Context Protocol, as sources of tools. Needs `@modelcontextprotocol/client`. */

export type { McpAuth, McpServerOptions, McpTool } from './options.ts';
export { mcpServer } from './server.ts';
