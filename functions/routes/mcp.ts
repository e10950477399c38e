import { JsonRpcBody, MAX_BODY_BYTES } from '../../shared/contract/http.ts';
import { apiOf, WAIT_MS } from '../doors/api.ts';
import { Refusal } from '../middleware/problem.ts';
import { jsonBody, rawBody } from '../middleware/request.ts';
import type { Route } from './context.ts';

/** The version of this server in its handshake. */
const version = '1';
/** Not an address: the SDK wants a whole URL, and reads nothing of it. */
const address = 'https://mcp.invalid/mcp';

/**
 * `POST /mcp`: each agent as a tool, over MCP's streamable HTTP. It keeps nothing between requests, so there are no MCP sessions,
 * and a tool call waits for its run for 20 s at most.
 */
export const serveMcp: Route = async (event, caller, context) => {
  jsonBody(event, JsonRpcBody, MAX_BODY_BYTES);
  const { answerMcp } = await import('../doors/mcp-sdk.ts');
  const client = apiOf(event, caller, context);
  const agents = context.agents.map(({ name }) => name);
  const headers = new Headers();
  for (const [name, value] of Object.entries(event.headers))
    if (value !== undefined && name !== 'authorization') headers.set(name, value);
  const body = rawBody(event, MAX_BODY_BYTES);
  const request = new Request(address, { method: 'POST', headers, body });
  const answer = await answerMcp(request, { client, agents, version, waitMs: WAIT_MS });
  const text = await answer.text();
  const failure = client.failure();
  // The model must not read how a service has failed, and a repeated request may succeed.
  if (failure !== undefined) throw failure;
  return {
    statusCode: answer.status,
    headers: { 'content-type': answer.headers.get('content-type') ?? 'application/json' },
    body: text,
  };
};

/** `GET /mcp` and `DELETE /mcp`: there is no stream to listen to, and no MCP session to end. */
export const refuseMcp: Route = async () => {
  throw new Refusal(405, 'Use POST', {}, { allow: 'POST' });
};
