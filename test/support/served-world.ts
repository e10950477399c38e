import { setTimeout as pause } from 'node:timers/promises';
import { modelProvider } from '../../shared/models/models.ts';
import type { ScriptedModel } from '../../testing/scripted-model.ts';
import { KEY } from './model-call.ts';
import { type ModelServer, modelServer, type Step } from './model-server.ts';
import { sessionWorld } from './session-world.ts';

/**
 * One session of a test agent that asks its model over HTTP: `primary` is a scripted server on loopback, which records
 * its requests.
 * @param path the path between the server's address and the API's own path
 */
export async function servedWorld(
  definition: Parameters<typeof sessionWorld>[0],
  script: readonly Step[],
  { path = '', ...options }: Parameters<typeof sessionWorld>[2] & { readonly path?: string } = {},
) {
  const server: ModelServer = await modelServer(...script);
  const provider = modelProvider({
    primary: { auth: 'bearer', baseUrl: `${server.url}${path}`, key: async () => KEY },
  });
  let going = 0;
  const model: ScriptedModel = {
    requests: [],
    answer() {},
    left: () => 0,
    async complete(...asked) {
      going += 1;
      return provider.complete(...asked).finally(() => {
        going -= 1;
      });
    },
  };
  // The session's clock is virtual, but a request takes real time.
  const realTime = async () => {
    if (going > 0) await pause(1);
    return going > 0;
  };
  const world = await sessionWorld(definition, model, { ...options, realTime });
  const hear = async (text = 'hi') => {
    await world.say(text);
    await world.settle();
    return world.events();
  };
  return { world, server, hear, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
