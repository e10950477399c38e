import { StreamFault } from '../../agent/define/provider.ts';
import { isObject, type Json, parse } from '../common/json.ts';
import { inOnePiece } from '../common/one-piece.ts';
import { serverSent } from './server-sent.ts';

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
  yield* serverSent(whole.response, toEvent);
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
  if (name === 'ping') return undefined;
  const event = parse(data);
  if (isObject(event) && (name === 'error' || event.type === 'error'))
    throw new StreamFault({ kind: 'error_event', body: event });
  if (isObject(event)) return event.type === undefined ? { ...event, type: name } : event;
  // Some servers end with `data: [DONE]`, and future events may have any form.
  return name === null || !KNOWN.has(name) ? undefined : 'malformed';
}

const KNOWN: ReadonlySet<string> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'error',
]);
