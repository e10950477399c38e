import { StreamFault } from '../../agent/define/provider.ts';
import { isObject, type Json, parse } from '../common/json.ts';
import { type Frame, framesOf } from './frames.ts';
import { translation } from './translate.ts';

/**
 * The events of a reply of ConverseStream, in the form of the Messages API. Throws `StreamFault` on an exception in the
 * stream (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html), on a malformed message,
 * and when the connection breaks or is aborted.
 */
export async function* events(response: Response): AsyncGenerator<Json | undefined> {
  if (response.body === null) return;
  const reply = translation();
  try {
    for await (const frame of framesOf(response.body)) yield* reply.take(eventIn(frame));
  } catch (error) {
    // The message was complete, and only its usage is missing.
    if (!reply.isStopped()) throw error instanceof StreamFault ? error : new StreamFault({ kind: 'broken' });
  }
  yield* reply.end();
}

/** An event under its name. Exceptions name themselves in other headers than events do, which many clients have overlooked. */
function eventIn({ headers, body }: Frame): { readonly name: string; readonly event: Json } {
  const payload = parse(new TextDecoder().decode(body));
  switch (headers[':message-type']) {
    case 'event':
      if (!isObject(payload)) throw new StreamFault({ kind: 'malformed' });
      return { name: headers[':event-type'] ?? '', event: payload };
    case 'exception':
      throw failed(headers[':exception-type'], isObject(payload) ? payload : {});
    case 'error':
      throw failed(headers[':error-code'], { message: headers[':error-message'] });
    default:
      throw new StreamFault({ kind: 'malformed' });
  }
}

const failed = (type: string | undefined, { message, ...more }: Json): StreamFault =>
  new StreamFault({ kind: 'error_event', body: { ...more, error: { type, message } } });
