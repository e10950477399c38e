import { _iterSSEMessages } from 'openai/streaming';
import { StreamFault } from '../../agent/define/provider.ts';
import { isObject, type Json, objectAt, parse } from '../common/json.ts';
import { inOnePiece } from '../common/one-piece.ts';

/**
 * The chunks of a streamed reply as they come, until `[DONE]` or the end of the body.
 *
 * @param alive called for every packet: some servers send comments while the model has nothing to say yet, and this API
 *   has no other sign of life
 */
export async function* events(response: Response, alive: () => void): AsyncGenerator<Json | undefined> {
  if (response.body === null) return;
  const whole = await inOnePiece(response);
  if (whole.kind === 'json') yield asChunk(whole.body);
  else yield* streamed(whole.response, alive);
}

async function* streamed(response: Response, alive: () => void): AsyncGenerator<Json | undefined> {
  if (response.body === null) return;
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(packet, next) {
        alive();
        next.enqueue(packet);
      },
    }),
  );
  const messages = _iterSSEMessages(new Response(body), new AbortController());
  try {
    for (;;) {
      const next = await messages.next().catch(asBroken);
      if (next.done || next.value.data === '[DONE]') return;
      yield toChunk(next.value.event, next.value.data);
    }
  } finally {
    await messages.return().catch(() => undefined);
  }
}

/**
 * The chunk of an event; an error is a chunk too. Events of this API have no name, and a named one may hold anything:
 * it counts as a sign of life. So does one without data, which the standard says to ignore.
 */
function toChunk(name: string | null, data: string): Json | undefined {
  if (data === '') return undefined;
  const chunk = parse(data);
  if (chunk === undefined && (name === null || KNOWN.has(name))) throw new StreamFault({ kind: 'malformed' });
  return isObject(chunk) ? chunk : undefined;
}

const KNOWN: ReadonlySet<string> = new Set(['', 'message', 'error']);

/** A completion in one piece as the one chunk that would have held all of it. */
function asChunk(body: Json): Json {
  const choice = Array.isArray(body.choices) && isObject(body.choices[0]) ? body.choices[0] : undefined;
  if (isObject(body.error) || typeof body.error === 'string') return body;
  // Only a completion with a stop reason is whole.
  if (typeof choice?.finish_reason !== 'string') throw new StreamFault({ kind: 'malformed' });
  const message = objectAt(choice, 'message');
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
  // Here the position identifies a call; in a chunk its `index` does.
  const delta = { ...message, tool_calls: calls.map((call, index) => ({ ...call, index })) };
  return { ...body, choices: [{ ...choice, delta: calls.length > 0 ? delta : message }] };
}

function asBroken(): never {
  throw new StreamFault({ kind: 'broken' });
}
