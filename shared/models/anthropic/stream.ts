import { StreamFault } from '../../agent/define/provider.ts';
import { errorIn, errorInWhole } from '../common/error-in.ts';
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
  // Only a message with a stop reason is whole.
  const isWhole = Array.isArray(body.content) && typeof body.stop_reason === 'string';
  const error = isWhole ? errorIn(body) : errorInWhole(body);
  if (error) throw new StreamFault({ kind: 'error_event', body: error });
  if (!Array.isArray(body.content) || !isWhole) throw new StreamFault({ kind: 'malformed' });
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
  const error = errorOf(name, event, data);
  if (error) throw new StreamFault({ kind: 'error_event', body: error });
  if (isObject(event)) return event.type === undefined ? { ...event, type: name } : event;
  // Some servers end with `data: [DONE]`, and future events may have any form.
  return name === null || !KNOWN.has(name) ? undefined : 'malformed';
}

/** The error that an event reports. Some gateways give it no type, or write it as text. */
function errorOf(name: string | null, event: unknown, data: string): Json | undefined {
  if (!isObject(event)) return name === 'error' ? { error: { message: data } } : undefined;
  if (name === 'error' || event.type === 'error') return errorIn(event) ?? event;
  return event.type === undefined && (name === null || !KNOWN.has(name)) ? errorIn(event) : undefined;
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
