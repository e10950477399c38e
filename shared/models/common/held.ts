import { canonicalJson, hash } from '../../agent/plain/hash.ts';
import type { Delta, ModelRequest, Provider } from '../../agent/ports/provider.ts';
import type { ModelOutcome } from '../../agent/session/reply.ts';

/** Fields of a request's body, or of a schema. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * The fields that make a server hold a reply to a schema, added to the agent's own fields; undefined if the API cannot
 * express this schema, or if the agent has set another.
 */
export type AnswerFields = (own: Fields, schema: Fields) => Fields | undefined;

/** Schemas that servers have refused, by {@link nameOf}: this environment does not send them again. */
const refused = new Set<string>();

/**
 * Asks a model for a reply that its server holds to the answer's schema, if it can. If the server refuses, the same
 * request goes without the schema: the prompt states it too, and the reader of the answer checks it. So a schema that
 * is too complex for a server, or a server without schemas, costs one refused request in each environment, and no run.
 */
export async function completeHeld(
  provider: Provider,
  fieldsOf: AnswerFields,
  request: ModelRequest,
  onDelta: (delta: Delta) => void,
  signal: AbortSignal,
): Promise<ModelOutcome> {
  const name = nameOf(request);
  const fields = refused.has(name) ? undefined : fieldsOf(request.request, request.answer?.schema ?? {});
  if (!fields) return provider.complete(request, onDelta, signal);
  const held = { ...request, request: { ...request.request, ...fields } };
  const outcome = await provider.complete(held, onDelta, signal);
  // A request that was refused outright has used nothing and said nothing.
  if (outcome.kind === 'reply' || outcome.failure.kind !== 'fatal' || outcome.used) return outcome;
  const without = await provider.complete(request, onDelta, signal);
  if (without.kind === 'reply') refused.add(name);
  return without;
}

const nameOf = ({ provider, server, model, answer }: ModelRequest): string =>
  hash(canonicalJson([provider, server, model, answer]));

/** The result of `make`; undefined if it throws. */
export function tried<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
