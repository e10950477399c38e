import type { Frame } from '../../contract/events.ts';
import type { SessionKey } from '../../contract/session.ts';

/** The event log of a session, from which reconnecting clients catch up. Entries expire. */
export interface EventLog {
  /** Adds frames, ordered by seq. Writing a batch again changes nothing. */
  append(key: SessionKey, frames: readonly Frame[]): Promise<void>;
  /** Frames with `seq > after` and `seq <= upTo`, in order, without duplicates, at most `limit`. */
  read(key: SessionKey, after: number, limit: number, upTo?: number): Promise<Frame[]>;
}
