import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { defineAgent } from '../../shared/agent/define/agent.ts';
import { modelProvider } from '../../shared/models/models.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { KEY } from './model-call.ts';
import { type SessionWorld, sessionWorld } from './session-world.ts';

type Body = Readonly<Record<string, unknown>>;

/** A server's answer to a request: an error with its status, or a stream as on the wire. */
export type Answer = { readonly status: number; readonly body: unknown } | readonly string[];

/** A model server on loopback that answers depending on the request. */
export interface AskedServer extends AsyncDisposable {
  readonly url: string;
  readonly bodies: Body[];
}

export async function askedServer(answer: (body: Body, before: number) => Answer): Promise<AskedServer> {
  const bodies: Body[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body: Body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    bodies.push(body);
    const answered = answer(body, bodies.length - 1);
    if ('status' in answered) {
      response.writeHead(answered.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answered.body));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(answered.join(''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A session that asks its models over HTTP, at these servers. */
export async function httpSession(
  definition: Partial<Parameters<typeof defineAgent>[0]>,
  servers: Readonly<Record<string, string>>,
): Promise<SessionWorld> {
  const at = (baseUrl: string) => ({ baseUrl, auth: 'bearer' as const, key: async () => KEY });
  const provider = modelProvider(
    Object.fromEntries(Object.entries(servers).map(([name, url]) => [name, at(url)])),
  );
  let running = 0;
  const model = {
    ...scriptedModel(),
    complete: async (...asked: Parameters<typeof provider.complete>) => {
      running++;
      return provider.complete(...asked).finally(() => {
        running--;
      });
    },
  };
  const realTime = async () => {
    if (running === 0) return false;
    await pause(1);
    return true;
  };
  return sessionWorld(definition, model, { realTime, lax: 'the server over HTTP is the one that refuses' });
}
