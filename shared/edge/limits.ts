import type { SessionKey } from '../contract/session.ts';

/** Tells the caller when to ask again. */
export interface TryLater {
  readonly retryAfterSeconds: number;
}

/** A session's place among those that run, since its start was admitted: in epoch ms. */
export interface RunPlace {
  readonly since: number;
}

/**
 * The limits of each tenant. More are never admitted. With large limits, a caller may be refused a little before they
 * are reached (docs/adr/0023-spread-limits.md); with at most 800 sessions and 40,000 messages, this does not happen.
 */
export interface LimitOptions {
  /** Messages that are admitted within a minute of the clock: around a full minute up to twice as many may come. */
  readonly messagesPerMinute: number;
  readonly sessionsAtOnce: number;
}

/**
 * How long a start can be in progress, in ms: the function that was asked for it has ended by then (infra/http-api.ts,
 * 29 s).
 */
export const START_MS = 30_000;

/**
 * The limits on what a tenant may send and run at once. They protect the bill and other tenants' response times; no
 * promise of the protocol depends on them. Rejects when it cannot count: the caller then lets the message in
 * (`functions/middleware/admit.ts`). A message that was counted but not answered stays counted: the limit is early by
 * that much, and never late.
 */
export interface Limits {
  /** Counts one message of the tenant. */
  message(tenant: string): Promise<'admitted' | TryLater>;
  /**
   * Takes a place for a session that is about to run. A session that already has a place may always go on. A place is
   * held while the session runs (waiting for people is not running), and for {@link START_MS} after it was taken,
   * unless a run has begun since. The end of a run is not reported, so it is checked when room is needed: a freed place
   * is available within 2 s.
   */
  session(key: SessionKey): Promise<RunPlace | TryLater>;
  /**
   * Nothing has started: from now on the session keeps its place only if it runs. The place of a later start is not
   * touched.
   */
  giveBack(key: SessionKey, place: RunPlace): Promise<void>;
}

/**
 * The places that sessions hold, for the process that deletes a session. Rejects when the table cannot be reached, and
 * may be done again.
 */
export interface HeldPlaces {
  /** The session was deleted: it no longer has a place. */
  forget(key: SessionKey): Promise<void>;
}
