import type { Clock } from '../agent/ports/ports.ts';
import { STREAMS_OF_SESSION, type StreamKey, type Streams } from '../edge/streams.ts';

/** Seconds until a refused client is to ask again: another client must leave first, and that time is unknown. */
const ASK_AGAIN_SECONDS = 5;

interface Open extends StreamKey {
  readonly until: number;
}

/**
 * SSE responses in memory.
 *
 * @param atOnce responses of one tenant that may be open
 */
export function createStreams(clock: Pick<Clock, 'now'>, atOnce: number): Streams {
  let open: readonly Open[] = [];
  const isIt = (one: StreamKey, other: StreamKey) =>
    one.tenant === other.tenant && one.sessionId === other.sessionId && one.id === other.id;
  const others = (stream: StreamKey) => open.filter((one) => !isIt(one, stream));
  return {
    async open(stream, until) {
      const living = others(stream).filter((one) => one.until > clock.now());
      const siblings = living.filter(
        ({ tenant, sessionId }) => tenant === stream.tenant && sessionId === stream.sessionId,
      );
      const leaving = siblings
        .sort((a, b) => a.until - b.until)
        .slice(0, Math.max(0, siblings.length + 1 - STREAMS_OF_SESSION));
      const staying = living.filter((one) => !leaving.includes(one));
      if (staying.filter(({ tenant }) => tenant === stream.tenant).length >= atOnce)
        return { retryAfterSeconds: ASK_AGAIN_SECONDS };
      const { tenant, sessionId, id } = stream;
      open = [...staying, { tenant, sessionId, id, until }];
      return 'open';
    },

    holds: async (stream) => open.some((one) => isIt(one, stream)),

    async close(stream) {
      open = others(stream);
    },
  };
}
