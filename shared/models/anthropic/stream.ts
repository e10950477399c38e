import { Stream } from '@anthropic-ai/sdk/streaming';
import { StreamFault } from '../../agent/define/provider.ts';
import { isObject, type Json, parse } from '../common/json.ts';
import { inOnePiece } from '../common/one-piece.ts';

/**
 * The events of a streamed reply as they come; a sign of life without content, such as a ping, is undefined. The SDK's
 * own iterator hides pings, logs what it cannot parse, and ends silently on abort.
 *
 * Throws `StreamFault` on an `error` event, on broken JSON, and when the connection breaks or is aborted.
 */
export async function* events(response: Response): AsyncGenerator<Json | undefined> {
  if (response.body === null) return;
  const whole = await inOnePiece(response);
  if (whole.kind === 'json') {
    yield* asEvents(whole.body);
    return;
  }
  yield* streamed(whole.response);
}

async function* streamed(response: Response): AsyncGenerator<Json | undefined> {
  const { ended, isCut } = withEnd(response);
  const messages = Stream.rawEvents(ended)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await messages.next().catch(asBroken);
      if (next.done) return;
      const { event, data } = next.value;
      const read = toEvent(event, data);
      if (read === 'malformed') {
        const isLast = isCut() && (await messages.next().catch(asBroken)).done;
        throw new StreamFault({ kind: isLast ? 'broken' : 'malformed' });
      }
      yield read;
    }
  } finally {
    await messages.return?.(undefined).catch(() => undefined);
  }
}

/** A message in one piece as the events that a stream would have sent. */
function* asEvents(body: Json): Generator<Json | undefined> {
  if (body.type === 'error' || isObject(body.error)) throw new StreamFault({ kind: 'error_event', body });
  // Only a message with a stop reason is whole.
  if (!Array.isArray(body.content) || typeof body.stop_reason !== 'string')
    throw new StreamFault({ kind: 'malformed' });
  yield { type: 'message_start', message: body };
  for (const [index, block] of body.content.entries()) {
    yield { type: 'content_block_start', index, content_block: isObject(block) ? block : {} };
    yield { type: 'content_block_stop', index };
  }
  yield { ...body, type: 'message_delta', delta: body };
  yield { type: 'message_stop' };
}

function toEvent(name: string | null, data: string): Json | undefined | 'malformed' {
  // The standard of server-sent events ignores an event without data.
  if (name === 'ping' || data === '') return undefined;
  const event = parse(data);
  if (isObject(event) && (name === 'error' || event.type === 'error'))
    throw new StreamFault({ kind: 'error_event', body: event });
  if (isObject(event)) return event.type === undefined ? { ...event, type: name } : event;
  // Some servers end with `data: [DONE]`, and future events may have any form.
  return name === null || !KNOWN.has(name) ? undefined : 'malformed';
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

const KNOWN: ReadonlySet<string> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'error',
]);

function asBroken(): never {
  throw new StreamFault({ kind: 'broken' });
}
