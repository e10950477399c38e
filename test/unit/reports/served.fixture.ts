import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { modelProvider } from '../../../shared/models/models.ts';
import { type ScriptedModel, scriptedModel } from '../../../testing/scripted-model.ts';
import { KEY } from '../../support/model-call.ts';
import { type BlockScript, message } from '../../support/model-events.ts';
import { apiError, reply, type Step } from '../../support/model-server.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';

type Definition = NonNullable<Parameters<typeof sessionWorld>[0]>;
export type Block = { readonly type: string; readonly [key: string]: unknown };

/** A request to a scripted server, as it came over the wire. */
export interface Served {
  /** The body as text. */
  readonly raw: string;
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
  /** The number of the request, from 1. */
  readonly n: number;
}

export interface ServedWorld extends SessionWorld, AsyncDisposable {
  readonly served: readonly Served[];
  /** Sends a message, and runs the session until it is idle. */
  talk(text: string): Promise<void>;
}

/** A session that calls its model over HTTP, through the adapter of the Messages API. */
export async function servedWorld(
  answer: (asked: Served) => Step,
  definition: Definition = {},
  options: Parameters<typeof sessionWorld>[2] = {},
): Promise<ServedWorld> {
  const served: Served[] = [];
  const server = createServer(async (request, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks).toString();
    const asked = { raw, messages: JSON.parse(raw).messages, n: served.length + 1 };
    served.push(asked);
    const left = new AbortController();
    response.on('close', () => left.abort());
    await answer(asked)(response, left.signal);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const place = { auth: 'bearer' as const, key: async () => KEY, idleMs: 5_000 };
  const provider = modelProvider({
    primary: { ...place, baseUrl },
    secondary: { ...place, baseUrl: `${baseUrl}/v1` },
  });
  let asking = 0;
  const model: ScriptedModel = {
    ...scriptedModel(),
    async complete(...args) {
      asking += 1;
      return provider.complete(...args).finally(() => {
        asking -= 1;
      });
    },
  };
  const realTime = async () => {
    if (asking === 0) return false;
    await pause(1);
    return true;
  };
  const world = await sessionWorld(definition, model, { realTime, ...options });
  return {
    ...world,
    served,
    async talk(text) {
      await world.say(text);
      await world.settle();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const says = (...blocks: readonly BlockScript[]): Step => reply(message(blocks));

/** A reply that ends for another reason. */
export const stops = (reason: string, ...blocks: readonly BlockScript[]): Step =>
  reply(message(blocks, reason));

export const refuses = (message: string): Step => apiError(400, 'invalid_request_error', message);
