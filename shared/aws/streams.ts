/**
 * SSE responses of a tenant that are open at once. Each holds an invocation, and Lambda does not report that a client
 * has left: neither the stream's `close` nor a failing write does (aws/aws-lambda-nodejs-runtime-interface-client#145),
 * and the developer guide says that the function runs and is billed to its end. So an open response holds a place until
 * a given time, and gives it back when the response ends. The place of a response whose function has died is free from
 * that time on. One session may keep only a few: a newcomer takes the place of the response that would end first, which
 * notices at its next look. So the response that a client has left ends when the client comes back, and no later than
 * its time.
 *
 * The responses of a session are in one item, and in its next ones when that is full of others: there that many more
 * may be kept.
 */

import type { Clock } from '../agent/ports/ports.ts';
import type { SessionKey } from '../contract/session.ts';
import { STREAMS_OF_SESSION, type StreamKey, type Streams } from '../edge/streams.ts';
import type { Dynamo, ItemKey } from './dynamo.ts';
import { streamsKey } from './layout.ts';
import { createPlaces, type Held, PLACES_OF_ITEM } from './places.ts';
import { numbersOf, spread } from './spread.ts';

/** Seconds until a refused client is to ask again: another client must leave first, and that time is unknown. */
const ASK_AGAIN_SECONDS = 5;

/** @param atOnce responses of one tenant that may be open */
export function createStreams(dynamo: Dynamo, clock: Pick<Clock, 'now'>, atOnce: number): Streams {
  const places = createPlaces(dynamo);
  const streams = spread(atOnce, PLACES_OF_ITEM);
  const itemsOf = ({ tenant, sessionId }: SessionKey) =>
    streams.choices(numbersOf(sessionId)).map(({ n, max }) => ({ item: streamsKey(tenant, n), max }));

  async function opensIn(item: ItemKey, max: number, stream: StreamKey, until: number): Promise<boolean> {
    let { taken, held } = await places.take(item, placeOf(stream), until, max);
    if (!taken) {
      const over = pick(held, (_id, end) => end <= clock.now());
      const leaving = { ...over, ...oldestOf(stream, held) };
      if (Object.keys(leaving).length === 0) return false;
      await places.free(item, leaving);
      ({ taken, held } = await places.take(item, placeOf(stream), until, max));
      if (!taken) return false;
    }
    const tooMany = oldestOf(stream, held);
    if (Object.keys(tooMany).length > 0) await places.free(item, tooMany);
    return true;
  }

  return {
    async open(stream, until) {
      for (const { item, max } of itemsOf(stream)) if (await opensIn(item, max, stream, until)) return 'open';
      return { retryAfterSeconds: ASK_AGAIN_SECONDS };
    },

    async holds(stream) {
      for (const { item } of itemsOf(stream)) {
        const found = await dynamo.get(item, { attributes: ['places'] });
        if (Object.hasOwn(found?.places ?? {}, placeOf(stream))) return true;
      }
      return false;
    },

    async close(stream, until) {
      for (const { item } of itemsOf(stream))
        if (await places.free(item, { [placeOf(stream)]: until })) return;
    },
  };
}

const prefixOf = ({ sessionId }: SessionKey): string => `${sessionId}#`;
const placeOf = (stream: StreamKey): string => `${prefixOf(stream)}${stream.id}`;

const pick = (held: Held, isPicked: (id: string, until: number) => boolean): Held =>
  Object.fromEntries(Object.entries(held).filter(([id, until]) => isPicked(id, until)));

/** The places that the session has too many besides the stream's own: those that end first. */
function oldestOf(stream: StreamKey, held: Held): Held {
  const mine = placeOf(stream);
  const others = Object.entries(pick(held, (id) => id.startsWith(prefixOf(stream)) && id !== mine));
  const byEnd = others.sort(([, a], [, b]) => a - b);
  return Object.fromEntries(byEnd.slice(0, Math.max(0, byEnd.length + 1 - STREAMS_OF_SESSION)));
}
