import type { ModelRequest, Provider } from '../../shared/agent/ports/provider.ts';
import type { Reply } from '../../shared/agent/session/reply.ts';
import { toBody as toMessagesBody } from '../../shared/models/anthropic/request.ts';
import { toBody as toChatBody } from '../../shared/models/openai/request.ts';
import { type GivenBlocks, givenBlocks } from './strict/messages/given.ts';
import { refusalOf } from './strict/refusal.ts';
import { type Dialect, type Fields, isMessagesDialect, type Refusal } from './strict/rule.ts';

/** A request in wire form: the dialect of its server, and the body as text. */
export function wireOf(request: ModelRequest): { readonly dialect: Dialect; readonly raw: string } {
  const named = request.dialect === 'compatible' ? undefined : request.dialect;
  if (request.provider !== 'openai')
    return { dialect: named ?? 'anthropic', raw: toMessagesBody(request, true).body };
  // For an unknown server, the product knows only the rules that all servers share. OpenRouter adds none to those.
  return { dialect: named ?? 'openrouter', raw: toChatBody(request, 'http://127.0.0.1', 'native') };
}

/** Why a real server would refuse a provider's request; undefined if it would accept it. */
export function refusalOfRequest(request: ModelRequest, given?: GivenBlocks): Refusal | undefined {
  const { dialect, raw } = wireOf(request);
  return refusalOf(JSON.parse(raw), raw, dialect, isMessagesDialect(dialect) ? given : undefined);
}

/**
 * A scripted provider that throws if the core sends what a real server would refuse: then the test has found a fault.
 * It remembers its own thinking, as the real server does by its signatures.
 */
export function strictModel<P extends Provider>(model: P): P {
  const given = givenBlocks();
  return {
    ...model,
    async complete(request, onDelta, signal) {
      const refusal = refusalOfRequest(request, given);
      if (refusal)
        throw new Error(`a model server would refuse this request: ${refusal.message} (${refusal.rule})`);
      const outcome = await model.complete(request, onDelta, signal);
      if (outcome.kind === 'reply') note(request, outcome.reply);
      return outcome;
    },
  };

  function note(request: ModelRequest, { content, stop }: Reply): void {
    const { dialect, raw } = wireOf(request);
    if (isMessagesDialect(dialect)) given.took(JSON.parse(raw) as Fields, content, stop);
  }
}
