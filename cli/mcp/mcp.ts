import { once } from 'node:events';
import * as z from 'zod';
import { parse } from '../arguments.ts';
import { Failed, WrongUsage } from '../ends.ts';
import { manifest } from '../manifest.ts';
import { placeOf, places } from '../sessions/place.ts';
import { apiAt } from './api.ts';

/** Seconds after which a call returns although its run continues. By default, MCP clients give up on a call after 60. */
const WAIT_SECONDS = 50;
/** The largest allowed value. */
const MOST_SECONDS = 3_600;

const usage = `steploop mcp [AGENT…] [--wait SECONDS]

An MCP server on standard input and output, for an application that starts one: each agent, or each named one, is a
tool ask_AGENT, whose calls begin or continue a session.

  --wait SECONDS   the longest a call takes (${WAIT_SECONDS}); then it returns the session to continue; 1 to ${MOST_SECONDS}

${places}`;

/** The response of `GET /`. */
const Index = z.object({ agents: z.array(z.object({ name: z.string() })) });

/** `steploop mcp`: serves until its client closes standard input. */
export async function mcp(args: readonly string[]): Promise<number> {
  const options = { wait: { type: 'string' } } as const;
  const parsed = parse(args, { usage, options, words: Number.POSITIVE_INFINITY });
  if (!parsed) return 0;
  const seconds = Number(parsed.values.wait ?? WAIT_SECONDS);
  if (!(seconds >= 1 && seconds <= MOST_SECONDS))
    throw new WrongUsage(`--wait is a number of seconds, from 1 to ${MOST_SECONDS}.\n\n${usage}`);
  const place = placeOf(process.env, process.cwd());
  const agents = chosen(parsed.positionals, await agentsAt(place.httpUrl));
  const { serveStdio, serverOf } = await served();
  const client = apiAt(place);
  const { version } = manifest;
  serveStdio(() => serverOf({ client, agents, version, waitMs: seconds * 1_000 }));
  console.error(`MCP on standard input: ${agents.join(', ')} at ${place.httpUrl}`);
  await once(process.stdin, 'end');
  return 0;
}

async function agentsAt(httpUrl: string): Promise<string[]> {
  let answer: unknown;
  try {
    answer = await (await fetch(`${httpUrl.replace(/\/+$/, '')}/`)).json();
  } catch {
    throw new Failed(`${httpUrl} cannot be reached, or is not a deployment's HttpUrl.`);
  }
  const { data } = Index.safeParse(answer);
  if (!data) throw new Failed(`${httpUrl} is not a deployment's HttpUrl: it lists no agents.`);
  return data.agents.map(({ name }) => name);
}

function chosen(named: readonly string[], all: readonly string[]): readonly string[] {
  const unknown = named.find((name) => !all.includes(name));
  if (unknown !== undefined)
    throw new WrongUsage(`There is no agent ${unknown} there; there are: ${all.join(', ')}.`);
  return named.length > 0 ? [...new Set(named)] : all;
}

/** The SDK for servers is an optional package, which only users of this command install. */
async function served() {
  try {
    const [{ serveStdio }, { serverOf }] = await Promise.all([
      import('@modelcontextprotocol/server/stdio'),
      import('../../shared/doors/mcp/server.ts'),
    ]);
    return { serveStdio, serverOf };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Failed(
      'This command needs the package of MCP servers: npm install --save-dev @modelcontextprotocol/server',
    );
  }
}
