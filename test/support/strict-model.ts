import type { ModelRequest, Provider } from '../../shared/agent/ports/provider.ts';
import type { Reply } from '../../shared/agent/session/reply.ts';
import { toBody as toMessagesBody } from '../../shared/models/anthropic/request.ts';
import { toBody as toChatBody } from '../../shared/models/openai/request.ts';
import { type GivenBlocks, givenBlocks } from './strict/messages/given.ts';
import { refusalOf } from './strict/refusal.ts';
import { type Dialect, type Fields, isMessagesDialect, type Refusal } from './strict/rule.ts';

/** What a request is on the wire: the dialect that its server speaks, and the body as text. */
export function wireOf(request: ModelRequest): { readonly dialect: Dialect; readonly raw: string } {
  const named = request.dialect === 'compatible' ? undefined : request.dialect;
  if (request.provider !== 'openai')
    return { dialect: named ?? 'anthropic', raw: toMessagesBody(request, true).body };
  // Of an unknown server the product knows the rules that all have: OpenRouter adds none of its own to those.
  return { dialect: named ?? 'openrouter', raw: toChatBody(request, 'http://127.0.0.1', 'native') };
}

/** Why a real server would refuse what a provider is asked; undefined when it would take it. */
export function refusalOfRequest(request: ModelRequest, given?: GivenBlocks): Refusal | undefined {
  const { dialect, raw } = wireOf(request);
  return refusalOf(JSON.parse(raw), raw, dialect, isMessagesDialect(dialect) ? given : undefined);
}

/**
 * A scripted provider that throws when the core asks what a real server would refuse: the test has found a fault. It remembers
 * what it has thought, as the real one does by its signatures.
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
