import { type BuiltInProvider, builtInProviders } from '../agent/config/model.ts';
import type { ProviderDefinition } from '../agent/define/provider.ts';
import type { Provider } from '../agent/ports.ts';
import type { ModelOutcome } from '../agent/session/reply.ts';
import type { ServerOptions } from './common/provider.ts';

export type { ServerOptions } from './common/provider.ts';

/**
 * The models of a deployment: each request says which server it is for and what is spoken there. A provider is made
 * by its first request, and what speaks with its kind of server is not read before that, or `readModels`.
 *
 * @param brought the deployment's own providers, by name
 */
export function modelProvider(
  servers: Readonly<Record<string, ServerOptions>>,
  brought: Readonly<Record<string, ProviderDefinition>> = {},
): Provider {
  const made = new Map<string, Promise<Provider>>();
  return {
    async complete(request, onDelta, signal) {
      const { provider, server } = request;
      const name = `${provider} ${server}`;
      const at = Object.hasOwn(servers, server) ? servers[server] : undefined;
      if (!at) return undeclared(`model server ${server}`);
      const known = made.get(name) ?? opened(provider, at, brought);
      if (!known) return undeclared(`provider ${provider}`);
      made.set(name, known);
      const ready = await known.catch(() => undefined);
      if (ready)
        return request.answer
          ? held(ready, request, onDelta, signal)
          : ready.complete(request, onDelta, signal);
      made.delete(name);
      return unavailable(provider);
    },
  };
}

/** Asks for an object, which few agents do: what each protocol has for that is read with the first such request. */
async function held(ready: Provider, ...asked: Parameters<Provider['complete']>): Promise<ModelOutcome> {
  const [{ provider }] = asked;
  // Where calls are written in the text a schema would forbid them, and a provider of a project reads `answer` itself.
  if (provider !== 'anthropic' && provider !== 'openai') return ready.complete(...asked);
  const [{ completeHeld }, { answerFields }] = await Promise.all([
    import('./common/held.ts'),
    provider === 'anthropic' ? import('./anthropic/answer.ts') : import('./openai/answer.ts'),
  ]);
  return completeHeld(ready, answerFields, ...asked);
}

/** Undefined when nobody speaks so. */
function opened(
  name: string,
  server: ServerOptions,
  brought: Readonly<Record<string, ProviderDefinition>>,
): Promise<Provider> | undefined {
  if (isBuiltIn(name)) return makeProvider(name, server);
  const own = Object.hasOwn(brought, name) ? brought[name] : undefined;
  return own && import('./brought.ts').then(({ broughtProvider }) => broughtProvider(name, own, server));
}

const isBuiltIn = (name: string): name is BuiltInProvider => builtInProviders.some((known) => known === name);

/** A session names what it began with, and a deploy may have taken that away: another model may still answer. */
const undeclared = (what: string): ModelOutcome => ({
  kind: 'failed',
  failure: { kind: 'account', code: 'not_declared', message: `This deployment declares no ${what}.` },
});

const unavailable = (provider: string): ModelOutcome => ({
  kind: 'failed',
  failure: {
    kind: 'retry',
    code: 'provider_unavailable',
    message: `The code of the provider ${provider} could not be loaded.`,
    rateLimited: false,
  },
});

/**
 * Begins to read what speaks with the servers of these agents, so that it is there when the first asks its model: a function does it while a session
 * is claimed, which waits for a database. Whoever cannot read it says so when a model is asked.
 */
export function readModels(agents: readonly { readonly model: { readonly provider: string } }[]): void {
  const names = new Set(agents.map(({ model }) => model.provider));
  const reading = [
    ...(names.has('anthropic') ? [readAnthropic()] : []),
    ...(names.has('openai') || names.has('openai-xml') ? [readOpenai()] : []),
  ];
  for (const read of reading) read.catch(() => undefined);
}

const readAnthropic = () => import('./anthropic/provider.ts');
const readOpenai = () => import('./openai/provider.ts');

async function makeProvider(name: BuiltInProvider, server: ServerOptions): Promise<Provider> {
  switch (name) {
    case 'anthropic': {
      const { anthropicProvider } = await readAnthropic();
      return anthropicProvider(server);
    }
    case 'openai':
    case 'openai-xml': {
      const { openaiProvider } = await readOpenai();
      return openaiProvider({ ...server, calls: name === 'openai' ? 'native' : 'xml' });
    }
    default:
      return name satisfies never;
  }
}
