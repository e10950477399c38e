import { EventStreamCodec } from '@smithy/core/event-streams';
import { StreamFault } from '../../agent/define/provider.ts';

/** A message of an event stream: the values of its text headers, and its payload. */
export interface Frame {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Bytes of a message without headers and payload: lengths and checksums. */
const LEAST = 16;
/** Largest message: headers of 128 KiB and a payload of 16 MiB (smithy.io/2.0/aws/amazon-eventstream.html). */
const MOST = LEAST + 128 * 1024 + 16 * 1024 * 1024;

/**
 * The messages of a body in AWS's binary framing (`application/vnd.amazon.eventstream`). The codec checks both checksums of
 * each. Throws `StreamFault` if a message is malformed or too large, or if the body ends in one.
 */
export async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  const codec = new EventStreamCodec(toText, toBytes);
  let pieces: Uint8Array[] = [];
  let held = 0;
  let wanted = 4;
  for await (const piece of body) {
    pieces.push(piece);
    held += piece.byteLength;
    while (held >= wanted) {
      const [first] = pieces;
      const all = pieces.length === 1 && first ? first : Buffer.concat(pieces);
      const length = lengthOf(all);
      if (length > held) {
        pieces = [all];
        wanted = length;
        break;
      }
      yield decoded(codec, all.subarray(0, length));
      const rest = all.subarray(length);
      pieces = rest.byteLength > 0 ? [rest] : [];
      held = rest.byteLength;
      wanted = 4;
    }
  }
  if (held > 0) throw new StreamFault({ kind: 'broken' });
}

function lengthOf(bytes: Uint8Array): number {
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
  if (length < LEAST || length > MOST) throw new StreamFault({ kind: 'malformed' });
  return length;
}

function decoded(codec: EventStreamCodec, message: Uint8Array): Frame {
  try {
    const { headers, body } = codec.decode(message);
    const texts = Object.entries(headers).flatMap(([name, { type, value }]) =>
      type === 'string' ? [[name, value] as const] : [],
    );
    return { headers: Object.fromEntries(texts), body };
  } catch {
    throw new StreamFault({ kind: 'malformed' });
  }
}

const toText = (bytes: Uint8Array | string): string =>
  typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes);
const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text);
