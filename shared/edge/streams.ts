import type { SessionKey } from '../contract/session.ts';
import type { TryLater } from './limits.ts';

/** One SSE response, by an id of its own. */
export interface StreamKey extends SessionKey {
  readonly id: string;
}

/** Responses of one session. Its viewers are people's tabs; the WebSocket serves larger audiences. */
export const STREAMS_OF_SESSION = 5;

/**
 * SSE responses of a tenant that are open at once. One session keeps only {@link STREAMS_OF_SESSION}: a newcomer takes
 * the place of the response that would end first. Rejects when it cannot count: the caller then lets the response in,
 * or lets it stay (`functions/routes/agui-place.ts`).
 */
export interface Streams {
  /** Takes a place for a response that ends at `until` (epoch ms) at the latest: the place is free from then on. */
  open(stream: StreamKey, until: number): Promise<'open' | TryLater>;
  /** Whether the response still has its place. */
  holds(stream: StreamKey): Promise<boolean>;
  /** Gives the place back. */
  close(stream: StreamKey, until: number): Promise<void>;
}
