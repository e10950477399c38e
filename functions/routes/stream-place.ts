import type { StreamKey, Streams } from '../../shared/edge/streams.ts';
import { openly, tooMany } from '../middleware/admit.ts';

/** The place of one SSE response among those of its tenant. */
export interface StreamPlace {
  /** Whether the response still has it: newer responses for the same session may have taken it. */
  mayStay(): Promise<boolean>;
  leave(): Promise<void>;
}

/**
 * Takes a place for a response that ends by `until` (epoch ms). Refuses with 429 and Retry-After. As with other limits, the
 * response is admitted if it cannot be counted.
 */
export async function takePlace(stream: StreamKey, until: number, streams: Streams): Promise<StreamPlace> {
  const opened = await openly(streams.open(stream, until), stream);
  if (opened && opened !== 'open') {
    throw tooMany('Too many streams', 'This tenant has reached its limit of open responses.', opened);
  }
  if (!opened) return { mayStay: async () => true, leave: async () => {} };
  return {
    mayStay: async () => (await openly(streams.holds(stream), stream)) ?? true,
    leave: async () => void (await openly(streams.close(stream, until), stream)),
  };
}
