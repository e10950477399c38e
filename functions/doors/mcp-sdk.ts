export { createMcpHandler } from '@modelcontextprotocol/server';
export { serverOf } from '../../shared/doors/mcp/server.ts';
