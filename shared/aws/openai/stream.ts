import type { OpenAI } from 'openai/client';
import { Stream } from 'openai/streaming';
import { StreamFault } from '../model/failure.ts';
import { isObject, type Json } from '../model/json.ts';

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

function asFault(error: unknown): never {
  throw new StreamFault({ kind: error instanceof SyntaxError ? 'malformed' : 'broken' });
}
