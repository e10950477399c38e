import { StreamFault } from '../../agent/define/provider.ts';
import { isObject, type Json, parse } from './json.ts';

type Body =
  | { readonly kind: 'json'; readonly body: Json }
  | { readonly kind: 'stream'; readonly response: Response };

/**
 * Tells a stream from a reply in one piece. A server may answer with the whole reply as one piece of JSON, because it
 * knows no streams or none was asked for. Many streams have another content type (proxies, and functions that stream,
 * say `application/octet-stream`), so anything not labelled as a stream is judged by its first byte: a stream of events
 * never begins with a brace.
 */
export async function inOnePiece(response: Response): Promise<Body> {
  const { status, headers } = response;
  if (response.body === null || headers.get('content-type')?.includes('text/event-stream'))
    return { kind: 'stream', response };
  const [ahead, all] = response.body.tee();
  const begun = { status, headers };
  if ((await firstByte(ahead).catch(broken)) !== BRACE)
    return { kind: 'stream', response: new Response(all, begun) };
  const text = await new Response(all).text().catch(broken);
  const body = parse(text);
  return isObject(body) ? { kind: 'json', body } : { kind: 'stream', response: new Response(text, begun) };
}

const BRACE = 0x7b;
/** White space, and the bytes of a byte order mark. */
const BLANK: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);

/** The first byte that is not blank; undefined if there is none. Reads no further. */
async function firstByte(body: ReadableStream<Uint8Array>): Promise<number | undefined> {
  const reader = body.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    const found = value?.find((byte) => !BLANK.has(byte));
    if (found === undefined && !done) continue;
    // Not awaited: a branch is only cancelled when the other one is over too.
    void reader.cancel().catch(() => undefined);
    return found;
  }
}

function broken(): never {
  throw new StreamFault({ kind: 'broken' });
}
