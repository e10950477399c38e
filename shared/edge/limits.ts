import type { SessionKey } from '../contract/session.ts';

/** When to ask again. */
export interface TryLater {
  readonly retryAfterSeconds: number;
}

/** A session's place among those that run, since its start was let in: in epoch ms. */
export interface Place {
  readonly since: number;
}

/**
 * The numbers of each tenant. Never more are let in. Of large numbers, somebody may be refused a little before they are
 * reached (docs/adr/0023-spread-limits.md): of 800 sessions and 40,000 messages at most, nobody is.
 */
export interface LimitOptions {
  /** Messages that are let in within a minute of the clock: around a full minute up to twice as many may come. */
  readonly messagesPerMinute: number;
  readonly sessionsAtOnce: number;
}

/** How long a start can be on its way, in ms: the function that was asked for it has ended by then (infra/http-api.ts, 29 s). */
export const START_MS = 30_000;

/**
 * What a tenant may send and run at once. It protects the bill and the other tenants' patience; no promise of the protocol
 * hangs on it. Rejects when it cannot be counted: whoever asks lets the message in then (`functions/middleware/admit.ts`).
 * What was counted and not answered is counted: the limit is early by that much, and never late.
 */
export interface Limits {
  /** Counts one message of the tenant. */
  message(tenant: string): Promise<'admitted' | TryLater>;
  /**
   * Takes a place for a session that is about to run. One that has a place already may always go on. A place is held while
   * the session runs (waits for people are no runs), and for {@link START_MS} after it was taken, unless a run has begun
   * since; nobody says when a run has ended, so that is looked at when room is needed: a place that has become free is given
   * within 2 s.
   */
  session(key: SessionKey): Promise<Place | TryLater>;
  /** Nothing has started: from now on the session keeps its place only if it runs. A later start's place is not touched. */
  giveBack(key: SessionKey, place: Place): Promise<void>;
}

/** What is held of sessions, for whoever deletes one. Rejects when the table cannot be reached, and may be done again. */
export interface HeldPlaces {
  /** The session was deleted: it has no place any more. */
  forget(key: SessionKey): Promise<void>;
}
