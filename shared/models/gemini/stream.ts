import { StreamFault } from '../../agent/define/provider.ts';
import { serverSent } from '../anthropic/server-sent.ts';
import { isObject, type Json, parse } from '../common/json.ts';
import { inOnePiece } from '../common/one-piece.ts';
import { translation } from './translate.ts';

/**
 * The events of a reply of Gemini's API, in the form of the Messages API. Throws `StreamFault` on an error in the stream,
 * on broken JSON, and when the connection breaks or is aborted.
 */
export async function* events(response: Response): AsyncGenerator<Json | undefined> {
  if (response.body === null) return;
  const reply = translation();
  const whole = await inOnePiece(response);
  if (whole.kind === 'json') {
    yield* reply.take(chunkOf(whole.body));
    yield* reply.end();
    return;
  }
  try {
    for await (const chunk of serverSent(whole.response, (_, data) => read(data))) {
      const found = chunk === undefined ? [] : reply.take(chunk);
      if (found.length === 0) yield undefined;
      yield* found;
    }
  } catch (error) {
    // Nothing of the reply is missing.
    if (!reply.isStopped()) throw error;
  }
  yield* reply.end();
}

function read(data: string): Json | undefined | 'malformed' {
  // Some gateways end every stream like this.
  if (data.trim() === '[DONE]') return undefined;
  const chunk = parse(data);
  return isObject(chunk) ? chunkOf(chunk) : 'malformed';
}

function chunkOf(chunk: Json): Json {
  if (isObject(chunk.error)) throw new StreamFault({ kind: 'error_event', body: chunk });
  return chunk;
}
