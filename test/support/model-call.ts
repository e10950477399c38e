import type { Delta, ModelRequest, Provider } from '../../shared/agent/ports/provider.ts';
import type { Failure, ModelOutcome, Reply } from '../../shared/agent/session/reply.ts';
import { type AnthropicOptions, anthropicProvider } from '../../shared/models/anthropic/provider.ts';
import { type BedrockOptions, bedrockProvider } from '../../shared/models/bedrock/provider.ts';
import type { ServerOptions } from '../../shared/models/common/provider.ts';
import { geminiProvider } from '../../shared/models/gemini/provider.ts';
import { type OpenaiOptions, openaiProvider } from '../../shared/models/openai/provider.ts';
import { responsesProvider } from '../../shared/models/responses/provider.ts';

export const KEY = 'sk-test-0123456789';

/** A small request with the test's changes. */
export function modelRequest(different: Partial<ModelRequest> = {}): ModelRequest {
  return {
    provider: 'anthropic',
    server: 'primary',
    model: 'claude-test-1',
    maxTokens: 1000,
    request: {},
    system: 'You are a clock.',
    tools: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'What time is it in Lisbon?' }] }],
    ...different,
  };
}

interface Listening {
  readonly request?: ModelRequest;
  readonly signal?: AbortSignal;
  readonly onDelta?: (delta: Delta) => void;
}

export interface CallOptions extends Listening, Partial<AnthropicOptions> {}

/** One call of the Anthropic provider, with the events during it. */
export async function callModel(url: string, options: CallOptions = {}): Promise<Called> {
  const { request = modelRequest(), signal, onDelta, ...rest } = options;
  const provider = anthropicProvider({ ...server(url), ...rest });
  return listen(provider, { request, signal, onDelta });
}

export interface OpenaiCallOptions extends Listening, Partial<OpenaiOptions> {}

/** One call of the provider for OpenAI-compatible servers. */
export async function callOpenai(url: string, options: OpenaiCallOptions = {}): Promise<Called> {
  const {
    request = modelRequest({ provider: 'openai', model: 'gpt-test-1' }),
    signal,
    onDelta,
    ...rest
  } = options;
  const provider = openaiProvider({ ...server(url), calls: 'native', ...rest });
  return listen(provider, { request, signal, onDelta });
}

export interface ResponsesCallOptions extends Listening, Partial<ServerOptions> {}

/** One call of the provider for the Responses API. */
export async function callResponses(url: string, options: ResponsesCallOptions = {}): Promise<Called> {
  const {
    request = modelRequest({ provider: 'openai-responses', model: 'gpt-test-1' }),
    signal,
    onDelta,
    ...rest
  } = options;
  return listen(responsesProvider({ ...server(url), ...rest }), { request, signal, onDelta });
}

export interface BedrockCallOptions extends Listening, Partial<BedrockOptions> {}

/** One call of the provider for Bedrock's Converse API. */
export async function callBedrock(url: string, options: BedrockCallOptions = {}): Promise<Called> {
  const {
    request = modelRequest({ provider: 'bedrock-converse', model: 'anthropic.claude-test-1' }),
    signal,
    onDelta,
    ...rest
  } = options;
  return listen(bedrockProvider({ ...server(url), ...rest }), { request, signal, onDelta });
}

export interface GeminiCallOptions extends Listening, Partial<ServerOptions> {}

/** One call of the provider for Gemini's API. */
export async function callGemini(url: string, options: GeminiCallOptions = {}): Promise<Called> {
  const {
    request = modelRequest({ provider: 'gemini', model: 'gemini-test-3' }),
    signal,
    onDelta,
    ...rest
  } = options;
  return listen(geminiProvider({ ...server(url), ...rest }), { request, signal, onDelta });
}

interface Called {
  readonly outcome: ModelOutcome;
  readonly deltas: Delta[];
}

const server = (baseUrl: string) => ({
  baseUrl,
  auth: 'bearer' as const,
  key: async () => KEY,
  idleMs: 5_000,
});

async function listen(
  provider: Provider,
  { request, signal = new AbortController().signal, onDelta }: Listening & { readonly request: ModelRequest },
): Promise<Called> {
  const deltas: Delta[] = [];
  const outcome = await provider.complete(
    request,
    (delta) => {
      deltas.push(delta);
      onDelta?.(delta);
    },
    signal,
  );
  return { outcome, deltas };
}

/** The reply, or an error that names the other outcome. */
export function replyOf(outcome: ModelOutcome): Reply {
  if (outcome.kind === 'reply') return outcome.reply;
  throw new Error(`no reply: ${JSON.stringify(outcome.failure)}`);
}

export function failureOf(outcome: ModelOutcome): Failure {
  if (outcome.kind === 'failed') return outcome.failure;
  throw new Error(`no failure: ${JSON.stringify(outcome.reply)}`);
}
