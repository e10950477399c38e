import type { OpenAI } from 'openai/client';
import { Stream } from 'openai/streaming';
import { StreamFault } from '../../agent/define/provider.ts';
import { isObject, type Json, objectAt } from '../common/json.ts';
import { inOnePiece } from '../common/one-piece.ts';

/**
 * The chunks of a streamed reply as they come, until `[DONE]` or the end of the body.
 *
 * @param alive told of every packet: some servers send comments while the model has nothing to say yet, and this
 *   API has no other sign of life
 */
export async function* events(
  response: Response,
  client: OpenAI,
  alive: () => void,
): AsyncGenerator<Json | undefined> {
  if (response.body === null) return;
  const whole = await inOnePiece(response);
  if (whole.kind === 'json') yield asChunk(whole.body);
  else yield* streamed(whole.response, client, alive);
}

async function* streamed(
  response: Response,
  client: OpenAI,
  alive: () => void,
): AsyncGenerator<Json | undefined> {
  if (response.body === null) return;
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(packet, next) {
        alive();
        next.enqueue(packet);
      },
    }),
  );
  // Errors in the stream are told as any other chunk, and with the client's logger nothing is logged.
  const chunks = Stream.fromSSEResponse<unknown>(
    new Response(body),
    new AbortController(),
    client,
    false,
    'events',
  );
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await iterator.next().catch(asFault);
      if (next.done) return;
      yield isObject(next.value) ? next.value : undefined;
    }
  } finally {
    await iterator.return?.().catch(() => undefined);
  }
}

/** A completion in one piece (A7) as the one chunk that would have brought all of it. */
function asChunk(body: Json): Json {
  const choice = Array.isArray(body.choices) && isObject(body.choices[0]) ? body.choices[0] : undefined;
  if (isObject(body.error) || typeof body.error === 'string') return body;
  // Only one that says why it stopped is a whole one.
  if (typeof choice?.finish_reason !== 'string') throw new StreamFault({ kind: 'malformed' });
  const message = objectAt(choice, 'message');
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
  // Here their place says which is which; in a chunk it is a number.
  const delta = { ...message, tool_calls: calls.map((call, index) => ({ ...call, index })) };
  return { ...body, choices: [{ ...choice, delta: calls.length > 0 ? delta : message }] };
}

function asFault(error: unknown): never {
  throw new StreamFault({ kind: error instanceof SyntaxError ? 'malformed' : 'broken' });
}
