import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Send } from './guarded.ts';
import { lookupPublic, type Resolve } from './lookup.ts';

/** Limit in bytes for the headers of an answer: Node's own default. */
const MAX_HEADERS = 16_384;

/** Sends over a connection of its own, to the address that was checked. */
export const httpSend =
  ({ allowLoopback, resolve }: { readonly allowLoopback: boolean; readonly resolve?: Resolve }): Send =>
  ({ url, method, headers, body, signal }) =>
    new Promise((answered, reject) => {
      const options = {
        method,
        // A pooled connection would have been made for another URL.
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

/** The decompressed body; a size that is counted after this is the size of what is read. */
function decoded(response: IncomingMessage, headers: Headers): Readable {
  const decoder = decoderOf(headers.get('content-encoding'));
  if (!decoder) return response;
  headers.delete('content-encoding');
  headers.delete('content-length');
  // The reader gets the error.
  const unpacked = pipeline(response, decoder, () => undefined);
  return Readable.from(legible(unpacked), { objectMode: false });
}

/** Web streams report broken compression with an error that has no message of the platform's own. */
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
