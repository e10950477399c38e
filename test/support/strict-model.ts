import type { ModelRequest, Provider } from '../../shared/agent/ports/provider.ts';
import type { Reply } from '../../shared/agent/session/reply.ts';
import { toBody as toMessagesBody } from '../../shared/models/anthropic/request.ts';
import { toBody as toConverseBody } from '../../shared/models/bedrock/request.ts';
import { toBody as toGenerateBody } from '../../shared/models/gemini/request.ts';
import { toBody as toChatBody } from '../../shared/models/openai/request.ts';
import { toBody as toResponsesBody } from '../../shared/models/responses/request.ts';
import { type GivenBlocks, givenBlocks } from './strict/messages/given.ts';
import { refusalOf } from './strict/refusal.ts';
import { type Dialect, type Fields, isMessagesDialect, type Refusal } from './strict/rule.ts';

/** A request in wire form: the dialect of its server, and the body as text. */
export function wireOf(request: ModelRequest): { readonly dialect: Dialect; readonly raw: string } {
  if (request.provider === 'openai-responses')
    return { dialect: 'responses', raw: toResponsesBody(request, 'https://api.openai.com/v1') };
  if (request.provider === 'bedrock-converse') return { dialect: 'converse', raw: toConverseBody(request) };
  if (request.provider === 'gemini') return { dialect: 'generate', raw: toGenerateBody(request) };
  const named = request.dialect === 'compatible' ? undefined : request.dialect;
  if (request.provider !== 'openai')
    return { dialect: named ?? 'anthropic', raw: toMessagesBody(request, true).body };
  // For an unknown server, the product knows only the rules that all servers share. OpenRouter adds none to those.
  return { dialect: named ?? 'openrouter', raw: toChatBody(request, 'http://127.0.0.1', 'native') };
}

/** A request as its server reads it. */
interface Read {
  readonly dialect: Dialect;
  readonly raw: string;
  readonly body: Fields;
}

function readRequest(request: ModelRequest): Read {
  const { dialect, raw } = wireOf(request);
  return { dialect, raw, body: JSON.parse(raw) };
}

/** Why a real server would refuse a provider's request; undefined if it would accept it. */
export const refusalOfRequest = (request: ModelRequest, given?: GivenBlocks): Refusal | undefined =>
  refusalOfRead(readRequest(request), given);

const refusalOfRead = ({ dialect, raw, body }: Read, given?: GivenBlocks): Refusal | undefined =>
  refusalOf(body, raw, dialect, isMessagesDialect(dialect) ? given : undefined);

/**
 * A scripted provider that throws if the core sends what a real server would refuse: then the test has found a fault.
 * It remembers its own thinking, as the real server does by its signatures.
 */
export function strictModel<P extends Provider>(model: P): P {
  const given = givenBlocks();
  return {
    ...model,
    async complete(request, onDelta, signal) {
      const read = readRequest(request);
      const refusal = refusalOfRead(read, given);
      if (refusal)
        throw new Error(`a model server would refuse this request: ${refusal.message} (${refusal.rule})`);
      const outcome = await model.complete(request, onDelta, signal);
      if (outcome.kind === 'reply') note(read, outcome.reply);
      return outcome;
    },
  };

  function note({ dialect, body }: Read, { content, stop }: Reply): void {
    if (isMessagesDialect(dialect)) given.took(body, content, stop);
  }
}
