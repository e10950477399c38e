import { StreamFault } from './failure.ts';
import { isObject, type Json, parse } from './json.ts';

type Body =
  | { readonly kind: 'json'; readonly body: Json }
  | { readonly kind: 'stream'; readonly response: Response };

/**
 * What a server sends that was asked for a stream, or was not: some know no streams, and answer with the whole reply as one
 * piece of JSON (A7). What does not call itself a stream is read to its end, and is one all the same if it is no JSON.
 */
export async function inOnePiece(response: Response): Promise<Body> {
  const { status, headers } = response;
  if (headers.get('content-type')?.includes('text/event-stream')) return { kind: 'stream', response };
  const text = await response.text().catch(() => {
    throw new StreamFault({ kind: 'broken' });
  });
  const body = parse(text);
  return isObject(body)
    ? { kind: 'json', body }
    : { kind: 'stream', response: new Response(text, { status, headers }) };
}
