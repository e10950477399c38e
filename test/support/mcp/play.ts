import type { ToolContext } from '../../../shared/agent/define/index.ts';
import { defineAgent } from '../../../shared/agent/define/index.ts';
import { askSource } from '../../../shared/agent/tools/listing.ts';
import { servicesFor } from '../../../shared/agent/tools/services.ts';
import type { Internet } from '../../../shared/memory/egress.ts';
import { calls, type Rehearsal, type Rehearsed, rehearse, says } from '../../../testing/index.ts';
import { memoryWorld } from '../../../testing/memory-world.ts';
import { type McpServerOptions, mcpServer } from '../../../tools/mcp/index.ts';

/** An agent with one MCP server, `srv`, under a public name. */
export const agentOf = (options: Partial<McpServerOptions> = {}) =>
  defineAgent({
    name: 'caller',
    version: '1',
    model: { name: 'm' },
    system: 'You call.',
    approvals: 'by_tool',
    toolSources: [mcpServer({ name: 'srv', url: 'https://mcp.example.com/mcp', ...options })],
  });

let count = 0;

/**
 * Plays batches of calls on a server.
 * @param batches the calls of one model reply each
 */
export function play(
  internet: Internet,
  batches: readonly (readonly [tool: string, input?: unknown])[][],
  options: Partial<McpServerOptions> = {},
  more: Partial<Rehearsal> = {},
): Promise<Rehearsed> {
  // Caches in the process are per address, and all rehearsals give their sessions the same name.
  const url = options.url ?? `https://mcp.example.com/${++count}/mcp`;
  return rehearse(agentOf({ ...options, url }), {
    user: 'Go.',
    model: [
      ...batches.map((batch) =>
        calls(...batch.map(([tool, input = {}]): [string, unknown] => [`srv__${tool}`, input])),
      ),
      says('Done.'),
    ],
    internet,
    ...more,
  });
}

/** Serves a local server under a public name, since only public ones are called. */
export const through =
  (at: () => string): Internet =>
  async (request) => {
    const { method, headers } = request;
    const body = method === 'GET' ? undefined : await request.arrayBuffer();
    return fetch(at(), { method, headers, body, redirect: 'manual' });
  };

export const contents = ({ calls: made }: Rehearsed) => made.map(({ content }) => content);

/** Why a session has no tools: `tool_source_wrong` or `tool_source_unreachable`. */
export const whyNoTools = ({ events }: Rehearsed) => /tool_source_[a-z]+/.exec(JSON.stringify(events))?.[0];

/** The events about tools that a session goes without. */
export const omittedIn = ({ events }: Pick<Rehearsed, 'events'>) =>
  events.flatMap((event) =>
    event.type === 'CUSTOM' && event.name === 'steploop.tools_omitted' ? [event.value] : [],
  );

/** A server as the core calls it, with the time under the test's control. */
export function directly(internet: Internet, options: Partial<McpServerOptions> = {}) {
  const world = memoryWorld({ internet, settings: {}, secrets: {} });
  const source = mcpServer({ name: 'srv', url: `https://mcp.example.com/${++count}/mcp`, ...options });
  const key = { tenant: 'acme', sessionId: 's1' };
  return {
    clock: world.clock,
    /** Asks it for its tools. */
    list: () => askSource(source, key, world, new AbortController().signal),
    /** Makes a call that ends with `signal`. */
    async call(
      name: string,
      signal: AbortSignal,
      answers: readonly string[] = [],
      ask: (question: string) => unknown = () => undefined,
    ) {
      const run = source.get({
        name,
        description: 'd',
        input: { type: 'object' },
        effect: 'once',
        where: 'inline',
      });
      const of = { ...key, idempotencyKey: 'k', requesters: [] };
      const context = { ...of, answers, ask, signal, services: servicesFor(of, world, signal) };
      return run({}, context as unknown as ToolContext<string, string>);
    },
  };
}
