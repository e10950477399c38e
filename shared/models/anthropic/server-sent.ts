import { Stream } from '@anthropic-ai/sdk/streaming';
import { StreamFault } from '../../agent/define/provider.ts';
import type { Json } from '../common/json.ts';

/** Reads one server-sent event, given its name. Undefined is a sign of life without content. */
export type ReadEvent = (name: string | null, data: string) => Json | undefined | 'malformed';

/**
 * The server-sent events of a body. Throws `StreamFault` if `read` finds one malformed, and when the connection breaks or
 * is aborted: a malformed event that ends a cut body counts as a broken connection.
 */
export async function* serverSent(response: Response, read: ReadEvent): AsyncGenerator<Json | undefined> {
  const { ended, isCut } = withEnd(response);
  const messages = Stream.rawEvents(ended)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await messages.next().catch(asBroken);
      if (next.done) return;
      const { event, data } = next.value;
      // The standard of server-sent events ignores an event without data.
      const found = data === '' ? undefined : read(event, data);
      if (found === 'malformed') {
        const isLast = isCut() && (await messages.next().catch(asBroken)).done;
        throw new StreamFault({ kind: isLast ? 'broken' : 'malformed' });
      }
      yield found;
    }
  } finally {
    await messages.return?.(undefined).catch(() => undefined);
  }
}

/**
 * The response with a blank line at its end, if it has none. Without one the SDK drops the last event, and a reply that
 * is otherwise whole would be paid for again.
 */
function withEnd(response: Response): { readonly ended: Response; readonly isCut: () => boolean } {
  let tail: readonly number[] = [];
  let cut = false;
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(packet, next) {
        tail = [...tail, ...packet.subarray(-4)].slice(-4);
        next.enqueue(packet);
      },
      flush(next) {
        cut = !/(?:\r\r|\n\n|\r\n\r\n)$/.test(String.fromCharCode(...tail));
        if (cut) next.enqueue(BLANK_LINE);
      },
    }),
  );
  return { ended: new Response(body), isCut: () => cut };
}

const BLANK_LINE = new TextEncoder().encode('\n\n');

function asBroken(): never {
  throw new StreamFault({ kind: 'broken' });
}
