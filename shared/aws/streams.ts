/**
 * SSE responses of a tenant that are open at once. Each holds an invocation, and Lambda tells nobody that a client has
 * left: neither the stream's `close` nor a failing write does (aws/aws-lambda-nodejs-runtime-interface-client#145), and
 * the developer guide says that the function runs and is billed to its end. So an open response is a place that is
 * held until a time, and given back when the response ends; one whose function has died is free from that time on. And
 * of one session only so many are kept: whoever comes then takes the place of the one that would end first, which sees
 * that at its next look. So what has been left goes when somebody comes back, and no later than its time.
 */

import type { Clock } from '../agent/ports.ts';
import type { SessionKey } from '../contract/session.ts';
import { STREAMS_OF_SESSION, type StreamKey, type Streams } from '../edge/streams.ts';
import type { Dynamo } from './dynamo.ts';
import { streamsKey } from './layout.ts';
import { createPlaces, type Held } from './places.ts';

/** When to ask again: somebody must leave first, and nobody knows when. */
const ASK_AGAIN_SECONDS = 5;

/** @param atOnce responses of one tenant that may be open */
export function createStreams(dynamo: Dynamo, clock: Pick<Clock, 'now'>, atOnce: number): Streams {
  const places = createPlaces(dynamo, atOnce);
  return {
    async open(stream, until) {
      const item = streamsKey(stream.tenant);
      let { taken, held } = await places.take(item, placeOf(stream), until);
      if (!taken) {
        const over = pick(held, (_id, end) => end <= clock.now());
        await places.free(item, { ...over, ...oldestOf(stream, held) });
        ({ taken, held } = await places.take(item, placeOf(stream), until));
        if (!taken) return { retryAfterSeconds: ASK_AGAIN_SECONDS };
      }
      const tooMany = oldestOf(stream, held);
      if (Object.keys(tooMany).length > 0) await places.free(item, tooMany);
      return 'open';
    },

    async holds(stream) {
      const item = await dynamo.get(streamsKey(stream.tenant), { attributes: ['places'] });
      return Object.hasOwn(item?.places ?? {}, placeOf(stream));
    },

    close: (stream, until) => places.free(streamsKey(stream.tenant), { [placeOf(stream)]: until }),
  };
}

const prefixOf = ({ sessionId }: SessionKey): string => `${sessionId}#`;
const placeOf = (stream: StreamKey): string => `${prefixOf(stream)}${stream.id}`;

const pick = (held: Held, isPicked: (id: string, until: number) => boolean): Held =>
  Object.fromEntries(Object.entries(held).filter(([id, until]) => isPicked(id, until)));

/** The places beside the stream's own that its session has too many, those that end first. */
function oldestOf(stream: StreamKey, held: Held): Held {
  const mine = placeOf(stream);
  const others = Object.entries(pick(held, (id) => id.startsWith(prefixOf(stream)) && id !== mine));
  const byEnd = others.sort(([, a], [, b]) => a - b);
  return Object.fromEntries(byEnd.slice(0, Math.max(0, byEnd.length + 1 - STREAMS_OF_SESSION)));
}
