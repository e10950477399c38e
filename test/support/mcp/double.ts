import type { Internet } from '../../../shared/memory/egress.ts';

/** A message that a server received. */
export interface Heard {
  /** Undefined for an answer to the server's own request. */
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: what it holds is the method's affair
  readonly params: any;
  readonly id?: number | string;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly headers: Headers;
  readonly url: string;
}

/**
 * A scripted answer to a method in place of the correct one: a response, or the `result` of one; undefined for the
 * correct answer.
 */
export type Answers = (heard: Heard) => unknown;

/** An MCP server for one test, which may do what no server should. */
export interface McpDouble {
  readonly internet: Internet;
  /** Everything that it received, in order. */
  readonly heard: readonly Heard[];
  /** Methods of the messages that it received. */
  methods(): string[];
  /** Restarts: it forgets all its sessions. */
  restart(): void;
}

export interface Doubling {
  /** `modern` speaks 2026-07-28, without sessions; `legacy` (the default) the versions before that. */
  readonly era?: 'legacy' | 'modern';
  /** Whether a legacy server keeps sessions. */
  readonly sessions?: boolean;
  readonly tools?: readonly unknown[];
  readonly answers?: Answers;
  /** The capabilities that it declares; tools by default. */
  readonly capabilities?: object;
}

export const tool = (name: string, more: object = {}) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
  ...more,
});

export const text = (said: string, more: object = {}) => ({
  content: [{ type: 'text', text: said }],
  ...more,
});

export function mcpDouble({
  era = 'legacy',
  sessions = true,
  tools = [tool('look')],
  answers,
  capabilities = { tools: {} },
}: Doubling = {}): McpDouble {
  const heard: Heard[] = [];
  let known = new Set<string>();
  let count = 0;

  function right({ method, params, headers }: Heard): Response | object | undefined {
    const session = headers.get('mcp-session-id');
    if (era === 'legacy' && method === 'initialize') {
      const id = `session-${++count}`;
      known.add(id);
      const result = {
        protocolVersion: '2025-11-25',
        capabilities,
        serverInfo: { name: 'double', version: '1' },
      };
      return sessions ? new WithHeaders(result, { 'mcp-session-id': id }) : result;
    }
    if (era === 'legacy' && sessions && (session === null || !known.has(session)))
      return failure(session === null ? 400 : 404, 'no such session');
    switch (method) {
      case 'server/discover':
        return era === 'modern'
          ? {
              resultType: 'complete',
              supportedVersions: ['2026-07-28'],
              capabilities,
              ttlMs: 0,
              cacheScope: 'private',
            }
          : failure(400, 'no such method');
      case 'tools/list':
        return {
          tools,
          ...(era === 'modern' && { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }),
        };
      case 'tools/call':
        return text(`${params.name} was called`, era === 'modern' ? { resultType: 'complete' } : {});
      default:
        return method.startsWith('notifications/')
          ? new Response(null, { status: 202 })
          : failure(400, 'no such method');
    }
  }

  return {
    heard,
    methods: () => heard.map(({ method }) => method),
    restart() {
      known = new Set();
    },
    async internet(request) {
      if (request.method !== 'POST') return new Response(null, { status: 405 });
      const message = JSON.parse(await request.text());
      const { id } = message;
      const said: Heard = { ...message, headers: request.headers, url: request.url };
      heard.push(said);
      const answer = (await answers?.(said)) ?? right(said);
      if (answer instanceof Response) return answer;
      const { headers, result } = answer instanceof WithHeaders ? answer : { headers: {}, result: answer };
      return Response.json({ jsonrpc: '2.0', id, result }, { headers });
    },
  };
}

/** A correct result with extra headers. */
class WithHeaders {
  readonly result: object;
  readonly headers: Record<string, string>;

  constructor(result: object, headers: Record<string, string>) {
    this.result = result;
    this.headers = headers;
  }
}

export const failure = (status: number, message: string) =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }, { status });

/** A stream of server-sent events with these messages; it stays open if `open`. */
export function events(messages: readonly object[], { open = false } = {}): Response {
  const lines = messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join('');
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(lines));
      if (!open) controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
