import { StreamFault } from '../../agent/define/provider.ts';
import { isObject, type Json } from '../common/json.ts';
import { eventsOf } from '../openai/stream.ts';

/** The events of a reply of the Responses API. */
export const events = eventsOf({
  whole: asEvents,
  isKnown: (name) => name === null || name === 'error' || name.startsWith('response.'),
  // Some gateways give the kind of an event only as its name.
  named: (event, name) => (event.type === undefined && name !== null ? { ...event, type: name } : event),
});

/** A response in one piece as its last event. Only one with a status is whole. */
function asEvents(body: Json): readonly Json[] {
  const { status } = body;
  if (status === 'completed' || status === 'incomplete' || status === 'failed')
    return [{ type: `response.${status}`, response: body }];
  if (isObject(body.error)) throw new StreamFault({ kind: 'error_event', body });
  throw new StreamFault({ kind: 'malformed' });
}
