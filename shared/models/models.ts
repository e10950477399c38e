import { type BuiltInProvider, builtInProviders } from '../agent/config/model.ts';
import { SHAPE } from '../agent/config/shape.ts';
import type { ProviderDefinition } from '../agent/define/provider.ts';
import type { Provider } from '../agent/ports/provider.ts';
import type { ModelOutcome } from '../agent/session/reply.ts';
import type { BedrockOptions } from './bedrock/provider.ts';
import type { ServerOptions } from './common/provider.ts';
import { readShapes } from './shape/with-shapes.ts';
import { unavailable } from './unavailable.ts';

/** One server, and how to reach it with a key or, for Bedrock, with a signature. */
export type ModelServerOptions = ServerOptions & Pick<BedrockOptions, 'sign'>;

/**
 * The models of a deployment. Each request names its server and its protocol. A provider is created by its first
 * request, and the code for its protocol is not loaded before that, or before `readModels`.
 *
 * @param brought the deployment's own providers, by name
 */
export function modelProvider(
  servers: Readonly<Record<string, ModelServerOptions>>,
  brought: Readonly<Record<string, ProviderDefinition>> = {},
): Provider {
  const made = new Map<string, Promise<Provider>>();
  return {
    async complete(request, onDelta, signal) {
      const { provider, server } = request;
      if (provider === SHAPE) return (await readShapes()).replyOf(request, onDelta);
      const name = `${provider} ${server}`;
      const at = Object.hasOwn(servers, server) ? servers[server] : undefined;
      if (!at) return undeclared(`model server ${server}`);
      const known = made.get(name) ?? opened(provider, at, brought);
      if (!known) return undeclared(`provider ${provider}`);
      made.set(name, known);
      const ready = await known.catch((error: unknown) => {
        made.delete(name);
        return unavailable(provider, error);
      });
      if (!('complete' in ready)) return ready;
      return request.answer
        ? held(ready, request, onDelta, signal)
        : ready.complete(request, onDelta, signal);
    },
  };
}

/** Asks for a structured answer, which few agents do: the code for it is loaded with the first such request. */
async function held(ready: Provider, ...asked: Parameters<Provider['complete']>): Promise<ModelOutcome> {
  const [{ provider }] = asked;
  // With calls in the text a schema would forbid those calls, and a project's provider reads `answer` itself.
  // Not every model behind Bedrock takes a schema.
  if (!isBuiltIn(provider) || provider === 'openai-xml' || provider === 'bedrock-converse')
    return ready.complete(...asked);
  const [{ completeHeld }, { answerFields }] = await Promise.all([
    import('./common/held.ts'),
    readAnswer(provider),
  ]);
  return completeHeld(ready, answerFields, ...asked);
}

function readAnswer(provider: Exclude<BuiltInProvider, 'openai-xml' | 'bedrock-converse'>) {
  switch (provider) {
    case 'anthropic':
      return import('./anthropic/answer.ts');
    case 'openai':
      return import('./openai/answer.ts');
    case 'openai-responses':
      return import('./responses/answer.ts');
    case 'gemini':
      return import('./gemini/answer.ts');
    default:
      return provider satisfies never;
  }
}

/** Undefined if no provider has this name. */
function opened(
  name: string,
  server: ModelServerOptions,
  brought: Readonly<Record<string, ProviderDefinition>>,
): Promise<Provider> | undefined {
  if (isBuiltIn(name)) return makeProvider(name, server);
  const own = Object.hasOwn(brought, name) ? brought[name] : undefined;
  return own && import('./brought.ts').then(({ broughtProvider }) => broughtProvider(name, own, server));
}

const isBuiltIn = (name: string): name is BuiltInProvider => builtInProviders.some((known) => known === name);

/** A session names the server it began with, and a deploy may have removed that: another model may still answer. */
const undeclared = (what: string): ModelOutcome => ({
  kind: 'failed',
  failure: { kind: 'account', code: 'not_declared', message: `This deployment declares no ${what}.` },
});

/**
 * Starts to load the code for these agents' servers, so that it is ready when the first model is asked. A function
 * calls it while it claims a session, which waits for a database. A load that fails is reported when a model is asked.
 */
export function readModels(agents: readonly { readonly model: { readonly provider: string } }[]): void {
  const names = new Set(agents.map(({ model }) => model.provider));
  const reading = [
    ...(names.has('anthropic') ? [readAnthropic()] : []),
    ...(names.has('openai') || names.has('openai-xml') ? [readOpenai()] : []),
    ...(names.has('openai-responses') ? [readResponses()] : []),
    ...(names.has('bedrock-converse') ? [readBedrock()] : []),
    ...(names.has('gemini') ? [readGemini()] : []),
  ];
  for (const read of reading) read.catch(() => undefined);
}

const readAnthropic = () => import('./anthropic/provider.ts');
const readOpenai = () => import('./openai/provider.ts');
const readResponses = () => import('./responses/provider.ts');
const readBedrock = () => import('./bedrock/provider.ts');
const readGemini = () => import('./gemini/provider.ts');

async function makeProvider(name: BuiltInProvider, server: ModelServerOptions): Promise<Provider> {
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
    case 'openai-responses': {
      const { responsesProvider } = await readResponses();
      return responsesProvider(server);
    }
    case 'bedrock-converse': {
      const { bedrockProvider } = await readBedrock();
      return bedrockProvider(server);
    }
    case 'gemini': {
      const { geminiProvider } = await readGemini();
      return geminiProvider(server);
    }
    default:
      return name satisfies never;
  }
}
