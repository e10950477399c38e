import type { StackOptions } from '../../local/stack/stack.ts';
import type { AgUiEvent, Frame, SnapshotMessage } from '../../shared/contract/events.ts';
import { type Counterpart, type Engine, startEngine, type ToolRule, type ToolStart } from './engine.ts';
import { assertDescribed } from './reference/described.ts';
import { canShare, type Lease, lease } from './shared-engine.ts';
import { mayHaveChanged } from './step-lines.ts';

export { local, type ToolRule, type ToolStart, webhookSecrets } from './engine.ts';

/** The embedded stack on the test assembly, with everything that a test may want to do to it. */
export interface Embedded
  extends AsyncDisposable,
    Pick<Engine, 'stack' | 'arnOf' | 'token' | 'webhookSecret'> {
  readonly toolStarts: readonly ToolStart[];
  /** Calls the HTTP API, or AG-UI and chat at `/agui` and `/chat`, with the token. The body of a stream is its text. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Starts a session and returns its id. */
  start(message: string): Promise<string>;
  session(id: string): Promise<Record<string, unknown> & { state: string }>;
  /** Resolves when the session is at rest. Rejects after `seconds`. */
  atRest(id: string, seconds?: number): Promise<Record<string, unknown> & { state: string; reason: string }>;
  /** Resolves when the session has this state and no open request. Rejects after `seconds`. */
  becomes(id: string, state: string, seconds?: number): Promise<Record<string, unknown>>;
  messages(id: string): Promise<SnapshotMessage[]>;
  frames(id: string): Promise<Frame[]>;
  events(id: string): Promise<AgUiEvent[]>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the body
  readonly body: any;
}

export interface EmbeddedOptions
  extends Pick<StackOptions, 'wire' | 'data' | 'ports' | 'onInvocation' | 'log' | 'runtime'> {
  readonly model: { readonly url: string };
  /** Addresses of other model servers, by name. */
  readonly modelUrls?: Readonly<Record<string, string>>;
  readonly tools?: ToolRule;
  /** Environment variables of the functions. They override the template. */
  readonly variables?: Record<string, string>;
  /** Folder of the cloud assembly; by default the one that the test run has synthesized. */
  readonly assembly?: string;
  /**
   * Seconds until a killed step is replaced, also one that was killed before it could tell the queue (330 s in the
   * template). A short lease expires on a busy machine while its owner is alive.
   */
  readonly leaseSeconds?: number;
}

/** Starts a stack, or lends the one that plain files of a process share. */
export async function embedded(options: EmbeddedOptions): Promise<Embedded> {
  const { engine, end } = await engineFor(options);
  const { stack, arnOf, token, webhookSecret, toolStarts } = engine;

  const api: Embedded['api'] = async (method, path, body, headers = {}) => {
    const base = /^\/(agui|chat)\b/.test(path)
      ? stack.outputs.AguiUrl?.replace(/\/agui$/, '')
      : stack.outputs.HttpUrl;
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status, headers: sent } = response;
    if (sent.get('content-type') === 'text/event-stream') return { status, headers: sent, body: text };
    const answer = { status, headers: sent, body: text ? JSON.parse(text) : undefined };
    assertDescribed(method, path, answer);
    return answer;
  };
  const read = async (path: string) => (await api('GET', path)).body;

  const world: Embedded = {
    ...{ stack, arnOf, token, webhookSecret, toolStarts, api },
    async start(message) {
      const { status, body } = await api('POST', '/sessions', { agent: 'worker', message });
      if (status !== 201) throw new Error(`POST /sessions: ${status} ${JSON.stringify(body)}`);
      return body.sessionId;
    },
    session: (id) => read(`/sessions/${id}`),
    async atRest(id, seconds = 60) {
      for (const end = Date.now() + seconds * 1000; Date.now() < end; await mayHaveChanged(id)) {
        const session = await world.session(id);
        if (session.state !== 'running' && session.state !== 'idle') return session as never;
      }
      throw new Error(`not at rest after ${seconds} s: ${JSON.stringify(await world.session(id))}`);
    },
    async becomes(id, state, seconds = 60) {
      for (const end = Date.now() + seconds * 1000; Date.now() < end; await mayHaveChanged(id)) {
        const session = await world.session(id);
        if (session.state === state && [session.waits].flat().length === 0) return session;
      }
      throw new Error(`not ${state} after ${seconds} s: ${JSON.stringify(await world.session(id))}`);
    },
    messages: async (id) => (await read(`/sessions/${id}/messages`)).messages,
    frames: async (id) => (await read(`/sessions/${id}/events?limit=1000`)).frames,
    events: async (id) => (await world.frames(id)).map(({ event }) => event),
    [Symbol.asyncDispose]: end,
  };
  return world;
}

/** Options of files that share a stack with others. */
const PLAIN: ReadonlySet<string> = new Set(['model', 'modelUrls', 'tools', 'log', 'onInvocation']);

async function engineFor(options: EmbeddedOptions): Promise<Lease> {
  const { model, modelUrls, tools, log, onInvocation, leaseSeconds = 30, assembly, ...more } = options;
  const urls = { primary: model.url, ...modelUrls };
  const counterpart: Counterpart = { tools, log, onInvocation };
  const folder = assembly ?? (await theTestsAssembly());
  if (Object.keys(options).every((key) => PLAIN.has(key)) && canShare(urls))
    return lease({ assembly: folder, leaseSeconds }, urls, counterpart);
  const engine = await startEngine({ assembly: folder, modelUrls: urls, leaseSeconds, ...more }, counterpart);
  return { engine, end: () => engine.stop() };
}

/** Imported here, since the module exists only under vitest. */
async function theTestsAssembly(): Promise<string> {
  const { inject } = await import('vitest');
  return inject('assembly');
}
