import { canonicalJson, hash } from '../../agent/plain/hash.ts';
import type { Delta, ModelRequest, Provider } from '../../agent/ports.ts';
import type { ModelOutcome } from '../../agent/session/reply.ts';

/** Fields of a request's body, or of a schema. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * What has a server hold a reply to a schema, beside the agent's own fields; undefined where nothing says this schema, or where
 * the agent has said another.
 */
export type AnswerFields = (own: Fields, schema: Fields) => Fields | undefined;

/** What servers have refused to hold a model to, by {@link nameOf}: they are not asked again in this environment. */
const refused = new Set<string>();

/**
 * Asks a model for a reply that its server holds to the schema of the answer, where it can. A server that refuses is asked for the
 * same without: the prompt says it too, and whoever reads the answer checks it. So a schema that is too complex for a server,
 * and a server that knows nothing of schemas, cost a refused request in each environment, and no run.
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
  // Of what was refused as it stood nothing has been used, and nothing said.
  if (outcome.kind === 'reply' || outcome.failure.kind !== 'fatal' || outcome.used) return outcome;
  const without = await provider.complete(request, onDelta, signal);
  if (without.kind === 'reply') refused.add(name);
  return without;
}

const nameOf = ({ provider, server, model, answer }: ModelRequest): string =>
  hash(canonicalJson([provider, server, model, answer]));

/** What `make` makes; undefined when it throws. */
export function tried<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
