import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FakeMessage, memorySlack } from './memory-slack.ts';

/** The part of Slack's Web API that `emulate` does not have (`memory-slack.ts`), over HTTP. */
export interface FakeSlack extends AsyncDisposable {
  /** Usable as `SLACK_API_URL`. */
  readonly url: string;
  /** Every call, in order. */
  readonly calls: readonly Call[];
  /** Current messages, oldest first. */
  readonly messages: readonly FakeMessage[];
  /** The messages as a person reads them. */
  texts(): string[];
  /**
   * Scripts the answers to the next calls of a method, one after the other. `drop`: the call is done, and the answer is
   * lost.
   */
  next(method: string, ...answers: Scripted[]): void;
  /** Sets Slack's clock (epoch ms), from which `ts` are made. */
  goBy(now: () => number): void;
  /** Slack closes a stream by itself. */
  expire(ts: string): void;
  /** A person deletes a message. */
  remove(ts: string): void;
}

export type Scripted = { limited: number } | { error: string } | 'drop' | 'fail' | 'ok';

export interface Call {
  readonly method: string;
  readonly args: Readonly<Record<string, string>>;
}

export interface FakeSlackOptions {
  readonly streams?: boolean;
  /** The answer to calls for which {@link FakeSlack.next} has scripted nothing. */
  readonly fault?: (method: string) => Scripted;
}

export async function fakeSlack({ streams = true, fault }: FakeSlackOptions = {}): Promise<FakeSlack> {
  const calls: Call[] = [];
  let now: (() => number) | undefined;
  const memory = memorySlack({
    streams: () => streams,
    uploads: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    second: () => (now ? Math.floor(now() / 1_000) : undefined),
  });
  const scripts = new Map<string, Scripted[]>();
  function respond(response: ServerResponse, method: string, args: Call['args'], raw: Buffer): void {
    const script = scripts.get(method)?.shift() ?? fault?.(method) ?? 'ok';
    if (script === 'fail') return void response.destroy();
    if (typeof script === 'object' && 'limited' in script)
      return void response.writeHead(429, { 'retry-after': String(script.limited) }).end('{"ok":false}');
    if (method === 'upload') {
      const isTaken = memory.upload(args.id ?? '', new Uint8Array(raw));
      if (script === 'drop') return void response.destroy();
      return void response.writeHead(isTaken && script === 'ok' ? 200 : 400).end();
    }
    const body =
      typeof script === 'object' ? { ok: false, error: script.error } : memory.answer(method, args);
    if (script === 'drop') return void response.destroy();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    const last = request.url?.split('/').at(-1)?.split('?')[0] ?? '';
    const isUpload = request.url?.startsWith('/upload/') === true;
    const method = isUpload ? 'upload' : last;
    const args = isUpload ? { id: last } : Object.fromEntries(new URLSearchParams(raw.toString()));
    calls.push({ method, args });
    respond(response, method, args, raw);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    calls,
    messages: memory.messages,
    texts: () => memory.messages.map(({ text }) => text),
    next: (method, ...answers) => void scripts.set(method, [...(scripts.get(method) ?? []), ...answers]),
    goBy(clock) {
      now = clock;
    },
    expire: memory.expire,
    remove: memory.remove,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
