import type { Delta, ModelRequest } from '../../shared/agent/ports.ts';
import type { Failure, ModelOutcome, Reply } from '../../shared/agent/reply.ts';
import { type AnthropicOptions, anthropicProvider } from '../../shared/aws/anthropic/provider.ts';

export const KEY = 'sk-test-0123456789';

/** A small request; the test says what is different. */
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

export interface CallOptions extends Partial<AnthropicOptions> {
  readonly request?: ModelRequest;
  readonly signal?: AbortSignal;
  readonly onDelta?: (delta: Delta) => void;
}

/** One call of the provider, with what was told while it went on. */
export async function callModel(
  url: string,
  options: CallOptions = {},
): Promise<{ outcome: ModelOutcome; deltas: Delta[] }> {
  const { request = modelRequest(), signal = new AbortController().signal, onDelta, ...rest } = options;
  const deltas: Delta[] = [];
  const provider = anthropicProvider({
    baseUrl: url,
    auth: 'bearer',
    key: async () => KEY,
    idleMs: 5_000,
    ...rest,
  });
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

/** The reply, or an error that says what came instead. */
export function replyOf(outcome: ModelOutcome): Reply {
  if (outcome.kind === 'reply') return outcome.reply;
  throw new Error(`no reply: ${JSON.stringify(outcome.failure)}`);
}

export function failureOf(outcome: ModelOutcome): Failure {
  if (outcome.kind === 'failed') return outcome.failure;
  throw new Error(`no failure: ${JSON.stringify(outcome.reply)}`);
}
