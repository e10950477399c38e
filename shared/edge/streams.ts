import type { SessionKey } from '../contract/session.ts';
import type { TryLater } from './limits.ts';

/** One SSE response, by an id of its own. */
export interface StreamKey extends SessionKey {
  readonly id: string;
}

/** Responses of one session. Those who watch it are people's tabs; who has more viewers has the WebSocket for them. */
export const STREAMS_OF_SESSION = 5;

/**
 * SSE responses of a tenant that are open at once. Of one session only {@link STREAMS_OF_SESSION} are kept: whoever comes
 * then takes the place of the one that would end first. Rejects when it cannot be counted: whoever asks lets the response
 * in, or stay (`functions/routes/agui-place.ts`).
 */
export interface Streams {
  /** Takes a place for a response that ends at `until` (epoch ms) at the latest: from then on it is free by itself. */
  open(stream: StreamKey, until: number): Promise<'open' | TryLater>;
  /** Whether the response still has its place. */
  holds(stream: StreamKey): Promise<boolean>;
  /** Gives the place back. */
  close(stream: StreamKey, until: number): Promise<void>;
}
