/** Serves agents of a deployment as tools of an MCP server. It is a client of the HTTP API, with its caller's rights. */

import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { ask } from './ask.ts';
import type { Served } from './served.ts';
import { AskInput, AskOutput } from './shapes.ts';
import type { Told } from './told.ts';

/** How often one call may ask people, on connections where the server carries the answers. */
const MOST_ROUNDS = 50;

/** A server for one connection. */
export function serverOf({ client, agents, version, waitMs }: Served): McpServer {
  const server = new McpServer(
    { name: 'steploop', version },
    {
      instructions:
        'Each tool asks an agent, which works in a session of its own. Hand back the session that a call answers to go on with it. Only people decide requests of an agent.',
      inputRequired: { maxRounds: MOST_ROUNDS },
    },
  );
  for (const agent of agents)
    server.registerTool(
      `ask_${agent}`,
      {
        title: `Ask ${agent}`,
        description: `Asks the agent ${agent}, and answers what it has come to. Without a session it begins one. An answer with the state "running" or "waiting_for_tool" means that it is still at work: call again with the session and no message.`,
        inputSchema: AskInput,
        outputSchema: AskOutput,
        annotations: { readOnlyHint: false, idempotentHint: false, openWorldHint: true },
      },
      (input, context) =>
        ask(
          { client, agent, waitMs, tell: teller(context), canAsk: canAsk(server, context) },
          input,
          context.mcpReq,
        ),
    );
  return server;
}

/** Whether its client shows forms to a person. Since 2026-07-28 each request says so; before that, the connection did. */
const canAsk = ({ server }: McpServer, { mcpReq }: ServerContext): boolean => {
  const envelope = mcpReq.envelope as Record<string, ClientCapabilities | undefined> | undefined;
  const asked = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities())?.elicitation;
  // A client from before there were two kinds sends `{}`, and means forms.
  return asked !== undefined && ('form' in asked || Object.keys(asked).length === 0);
};

/** Reports the progress of a call, if its client wants it. Errors of a closed connection are ignored. */
function teller({ mcpReq }: ServerContext): Told {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return (message) => {
    if (progressToken === undefined || mcpReq.signal.aborted) return;
    progress += 1;
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
      .catch(() => undefined);
  };
}
