/** MCP on the wire, by its official SDK. */

import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Served } from '../../shared/doors/mcp/served.ts';
import { serverOf } from '../../shared/doors/mcp/server.ts';

/** One for all requests: making it warns that nothing is pushed during a call. API Gateway passes on whole answers only. */
const handler = createMcpHandler(({ authInfo }) => serverOf(authInfo?.extra?.served as Served), {
  responseMode: 'json',
  maxSubscriptions: 0,
  keepAliveMs: 0,
});

/** The answer to one request. The agents are those of its caller. */
export const answerMcp = (request: Request, served: Served): Promise<Response> =>
  handler.fetch(request, { authInfo: { token: '', clientId: '', scopes: [], extra: { served } } });
