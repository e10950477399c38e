import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { mayBeFronted } from './model-fronts.ts';
import { strictDoor } from './strict/door.ts';
import type { Dialect, Refusal } from './strict/rule.ts';

/**
 * A scripted model server on loopback, for the Messages API and for Chat Completions. Each request takes the next step
 * of the script. A request too many or a step too many fails the test at the end of its `await using`.
 *
 * It is strict: a request that the real server would refuse gets that refusal, takes no step, and fails the test at its
 * end.
 */
export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  /** Requests that were accepted. */
  readonly requests: readonly RecordedRequest[];
  /** Requests that were refused. */
  readonly refusals: readonly Refusal[];
  /** Number of connections opened so far. */
  readonly connections: () => number;
  /** Resolves when `n` requests have arrived. */
  arrived(n: number): Promise<void>;
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The body as it arrived. */
  readonly raw: string;
}

/** Answers one request. Ends early when the client leaves. */
export interface Step {
  (response: ServerResponse, left: AbortSignal): Promise<void>;
  /** Why it answers every request, even one that the real server would refuse. */
  readonly lax?: string;
}

/** A step that answers every request. The reason is for people who read the test. */
export const laxly = (lax: string, step: Step): Step =>
  Object.assign((...args: Parameters<Step>) => step(...args), { lax });

/** The kind of model server, and how a test treats its refusals. */
export interface Strictness {
  /** The server to imitate; by default `anthropic` or `openai`, by the path of a request. */
  readonly dialect?: Dialect;
  /** Refusals do not fail the test, which checks `refusals` itself. */
  readonly mayRefuse?: boolean;
  /** Why nothing is refused: for tests that do not check what the product sends. */
  readonly lax?: string;
}

/** An event as data. Its name on the wire is its type. */
export interface WireEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A part of a stream: an event, raw bytes, or a pause. */
export type Piece = WireEvent | Uint8Array | string | { readonly pauseMs: number };

/** A whole reply: the pieces, then the end of the body. */
export function reply(pieces: readonly Piece[]): Step {
  return async (response, left) => {
    await stream(response, pieces, left);
    response.end();
  };
}

/** The pieces, and then silence. */
export function stall(pieces: readonly Piece[]): Step {
  return async (response, left) => {
    await stream(response, pieces, left);
    await gone(left);
  };
}

/** The first `n` pieces; then the body ends as if it were complete, or the connection is reset. */
export function cut(pieces: readonly Piece[], n: number, how: 'close' | 'reset'): Step {
  return async (response, left) => {
    await stream(response, pieces.slice(0, n), left);
    if (how === 'close') response.end();
    else response.socket?.resetAndDestroy();
  };
}

/** An answer that is not a stream. A body that is not text is sent as JSON. */
export function status(code: number, headers: Readonly<Record<string, string>>, body: unknown): Step {
  return async (response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const type = typeof body === 'string' ? 'text/html' : 'application/json';
    response.writeHead(code, { 'content-type': type, ...headers }).end(text);
  };
}

/** An error in the API's form. */
export function apiError(
  code: number,
  type: string,
  message = 'no',
  headers: Readonly<Record<string, string>> = {},
) {
  return status(code, headers, { type: 'error', error: { type, message } });
}

/** A 200 whose body is not a stream of events. */
export function garbage(body: string, type = 'text/html'): Step {
  return status(200, { 'content-type': type }, body);
}

/** No answer, not even headers. */
export function hang(): Step {
  return (_response, left) => gone(left);
}

/** Starts a server for this script, in order. */
export const modelServer = (...script: readonly Step[]): Promise<ModelServer> => modelServerOf({}, ...script);

/** Starts a server with another strictness. */
export async function modelServerOf(
  strictness: Strictness,
  ...script: readonly Step[]
): Promise<ModelServer> {
  const door = strictDoor(strictness.dialect);
  const requests: RecordedRequest[] = [];
  const waiting: { readonly n: number; readonly resolve: () => void }[] = [];
  let taken = 0;
  let connections = 0;

  const server = createServer(async (request, response) => {
    const left = leaving(response);
    const step = script[taken] ?? apiError(418, 'unexpected_call');
    const isLax = strictness.lax !== undefined || step.lax !== undefined;
    // Taken before the body is read, so that each of several concurrent requests has its own step.
    taken += 1;
    const recorded = await record(request);
    if (isLax) door.watch(recorded.path, recorded.raw, response);
    else if (door.refuses(recorded.path, recorded.raw, response)) {
      taken -= 1;
      return;
    }
    requests.push(recorded);
    for (const { n, resolve } of waiting) if (requests.length >= n) resolve();
    await step(response, left);
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  mayBeFronted(url, server);

  return {
    url,
    requests,
    refusals: door.refusals,
    connections: () => connections,
    arrived: (n) =>
      new Promise((resolve) => {
        if (requests.length >= n) resolve();
        else waiting.push({ n, resolve });
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (!strictness.mayRefuse) door.assertNoRefusal();
      if (taken !== script.length)
        throw new Error(`the model was called ${taken} times, ${script.length} expected`);
    },
  };
}

/** A URL without a listener. */
export async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

/** An event as the wire has it. */
export function sse(event: WireEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Writes pieces one by one, and leaves the body open. */
export async function stream(
  response: ServerResponse,
  pieces: readonly Piece[],
  left: AbortSignal,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  for (const piece of pieces) {
    if (left.aborted) return;
    if (typeof piece === 'string' || piece instanceof Uint8Array) response.write(piece);
    else if ('pauseMs' in piece)
      await pause(Number(piece.pauseMs), undefined, { signal: left }).catch(() => undefined);
    else response.write(sse(piece as WireEvent));
    // Each piece in a separate packet, as far as possible.
    await turn();
  }
}

async function record(request: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = '', url: path = '', headers } = request;
  const raw = Buffer.concat(chunks).toString();
  return { method, path, headers, raw, body: JSON.parse(raw || '{}') };
}

function leaving(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  response.on('close', () => left.abort());
  return left.signal;
}

async function gone(left: AbortSignal): Promise<void> {
  if (!left.aborted) await once(left, 'abort');
}
