import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Send } from './guarded.ts';
import { lookupPublic, type Resolve } from './lookup.ts';

/** Headers of an answer that are read at most, in bytes: what Node takes by itself. */
const MAX_HEADERS = 16_384;

/** Sends over a connection of its own, to the address that was looked at. */
export const httpSend =
  ({ allowLoopback, resolve }: { readonly allowLoopback: boolean; readonly resolve?: Resolve }): Send =>
  ({ url, method, headers, body, signal }) =>
    new Promise((answered, reject) => {
      const options = {
        method,
        // One from a pool was made for somebody else's URL.
        agent: false,
        headers: {
          'user-agent': 'steploop',
          'accept-encoding': 'gzip, deflate, br',
          ...Object.fromEntries(headers),
          ...(body && { 'content-length': body.byteLength }),
        },
        lookup: lookupPublic(allowLoopback, resolve),
        maxHeaderSize: MAX_HEADERS,
        signal,
      };
      const request = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
      request.on('error', reject);
      request.on('response', (response) => {
        const told = new Headers();
        for (const [name, values] of Object.entries(response.headersDistinct))
          for (const value of values ?? []) told.append(name, value);
        answered({
          status: response.statusCode ?? 0,
          headers: told,
          body: Readable.toWeb(decoded(response, told)),
        });
      });
      request.end(body);
    });

/** The body as it was before it was compressed; a size counted after this is that of what is read. */
function decoded(response: IncomingMessage, headers: Headers): Readable {
  const decoder = decoderOf(headers.get('content-encoding'));
  if (!decoder) return response;
  headers.delete('content-encoding');
  headers.delete('content-length');
  // The error reaches whoever reads.
  const unpacked = pipeline(response, decoder, () => undefined);
  return Readable.from(legible(unpacked), { objectMode: false });
}

/** Streams of the web make an error without words of the platform's own about what is packed wrongly. */
async function* legible(unpacked: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* unpacked;
  } catch (cause) {
    if (!/^(?:Z_|ERR_(?:_ERROR|BROTLI))/.test(String((cause as NodeJS.ErrnoException).code))) throw cause;
    throw new Error('the answer is not packed as its content-encoding says', { cause });
  }
}

function decoderOf(encoding: string | null) {
  switch (encoding?.toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
