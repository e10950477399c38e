import * as z from 'zod';
import { defined } from '../shared/agent/plain/defined.ts';
import type { JsonSchema } from '../shared/agent/tools/source.ts';
import type { Internet } from '../shared/memory/egress.ts';

/** A tool of a fake server: a function that answers calls, or that function with what the server declares of the tool. */
export type FakeMcpTool = Answers | FakeMcpDeclared;

interface FakeMcpDeclared {
  readonly description?: string;
  /** The schema of the input; any object when absent. */
  readonly input?: z.ZodType | JsonSchema;
  /** The server's hints, such as `{ readOnlyHint: true }`. */
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly run: Answers;
}

/** Gets the input of a call. A text is the result as it is, anything else as JSON; an error that it throws is the call's error. */
// biome-ignore lint/suspicious/noExplicitAny: what a fake takes is its tool's affair
type Answers = (input: any) => unknown;

/**
 * An MCP server for rehearsals: the `internet` in which an agent's MCP sources find these tools, whatever their addresses. It
 * needs no port and no process. Servers with `privateNetwork` are not reached through `internet`.
 *
 * @example
 * const run = await rehearse(writer, {
 *   user: 'Which page is about refunds?',
 *   model: [calls(['docs__search', { words: 'refunds' }]), says('The third.')],
 *   secrets: { DOCS_TOKEN: 'any' },
 *   internet: fakeMcp({ search: ({ words }) => `3: all about ${words}` }),
 * });
 */
export function fakeMcp(tools: Readonly<Record<string, FakeMcpTool>>): Internet {
  const declared = new Map(Object.entries(tools).map(([name, tool]) => [name, declaredOf(tool)]));
  const list = [...declared].map(([name, { description = `Does ${name}.`, input, annotations }]) => ({
    name,
    description,
    inputSchema: schemaOf(input),
    ...defined({ annotations }),
  }));

  /** The result of a request. Undefined for a method that this server does not have. */
  async function resultOf(method: string, { name, arguments: input }: Asked): Promise<object | undefined> {
    switch (method) {
      case 'server/discover':
        return { ...UNCACHED, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
      case 'tools/list':
        return { ...UNCACHED, tools: list };
      case 'tools/call': {
        const tool = name === undefined ? undefined : declared.get(name);
        return tool && { resultType: 'complete', ...(await called(tool.run, input)) };
      }
      default:
        return undefined;
    }
  }

  return async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const { data: message } = Message.safeParse(await request.json().catch(() => undefined));
    if (!message) return new Response('This is no message of JSON-RPC.', { status: 400 });
    const { id, method, params } = message;
    if (id === undefined) return new Response(null, { status: 202 });
    const result = await resultOf(method, params);
    const error = {
      code: -32602,
      message: `This fake server has no ${[method, params.name].filter(Boolean).join(' ')}.`,
    };
    return Response.json({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) });
  };
}

/** The protocol of 2026-07-28 says of each list how long it may be kept. */
const UNCACHED = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

const Asked = z.looseObject({ name: z.string().optional(), arguments: z.unknown().optional() });
type Asked = z.infer<typeof Asked>;
const Message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: Asked.default({}),
});

const declaredOf = (tool: FakeMcpTool): FakeMcpDeclared =>
  typeof tool === 'function' ? { run: tool } : tool;

function schemaOf(input: FakeMcpDeclared['input']): object {
  if (input === undefined) return { type: 'object' };
  return input instanceof z.ZodType ? z.toJSONSchema(input, { io: 'input' }) : input;
}

async function called(run: Answers, input: unknown): Promise<object> {
  try {
    return { content: contentOf(await run(input ?? {})) };
  } catch (error) {
    return { content: contentOf(error instanceof Error ? error.message : String(error)), isError: true };
  }
}

const contentOf = (answer: unknown): object[] =>
  answer === undefined
    ? []
    : [{ type: 'text', text: typeof answer === 'string' ? answer : JSON.stringify(answer) }];
