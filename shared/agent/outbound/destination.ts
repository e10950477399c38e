import type { SessionKey } from '../../contract/session.ts';

/** How listeners outside are reached: one channel for each kind. */
export const destinationKinds = ['callback', 'slack'] as const;
export type DestinationKind = (typeof destinationKinds)[number];

/** One listener outside of one session: what it is, and how far it has heard. */
export interface Destination extends Progress {
  /** Unique in its session, at most 64 letters, digits, - and _. */
  readonly name: string;
  readonly kind: DestinationKind;
  /** What its channel needs to reach it: JSON, the channel's own. Never a secret. */
  readonly config: unknown;
  /** Changes whenever a delivery came that could not claim it: whoever holds it looks again before it lets go. */
  readonly knocks: number;
}

/** What changes as it is served. */
export interface Progress {
  /** Seq of the last event that needs nothing more: the channel reads the log after it. */
  readonly cursor: number;
  /** What the channel remembers from one delivery to the next: JSON, its own (a stream's `ts`, the run's id). */
  readonly memory: unknown;
  /** `disabled`: it wants nothing more. `given_up`: the last event it was to hear was dropped after many tries. */
  readonly state: 'active' | 'given_up' | 'disabled';
  /** Tries in a row that failed. */
  readonly attempts: number;
  /** Epoch ms before which it is not tried; 0 for at once. */
  readonly nextAt: number;
  /** Epoch ms at which a delayed delivery is on its way for `nextAt`; 0 without one. */
  readonly hopAt: number;
}

/** A destination that has heard nothing. */
export const newDestination = (
  name: string,
  kind: DestinationKind,
  config: unknown,
  cursor = 0,
): Destination => ({
  name,
  kind,
  config,
  cursor,
  memory: null,
  state: 'active',
  attempts: 0,
  nextAt: 0,
  hopAt: 0,
  knocks: 0,
});

/**
 * Destinations of sessions. One owner at a time serves a destination, so that it hears everything in order; a stale
 * owner can change nothing. The clock decides what is wasted, never what is safe: an owner whose lease has run out
 * and who is not replaced still holds it.
 *
 * An owner holds on to the queue message it was woken by until it has released. So a delivery that finds the
 * destination held need not come back: it knocks, and the owner looks again.
 */
export interface OutboundStore {
  /** Adds a destination, if there is none of its name. Idempotent: the first one stays. */
  put(key: SessionKey, destination: Destination): Promise<'put' | 'exists'>;
  /** The session's destinations by name, strongly consistent. */
  list(key: SessionKey): Promise<Destination[]>;
  /** Takes the destination for `owner`, until `now + leaseMs`; or knocks, when another one holds it. */
  claim(
    key: SessionKey,
    name: string,
    owner: string,
    leaseMs: number,
    now: number,
  ): Promise<DestinationClaim>;
  /** Keeps progress, absolutely. `lost` when `owner` does not hold it any more: stop, and say nothing. */
  advance(
    key: SessionKey,
    name: string,
    owner: string,
    patch: Partial<Progress>,
  ): Promise<'advanced' | 'lost'>;
  /** Keeps progress and lets go, unless somebody has knocked since `knocks` was seen: then nothing changes. */
  release(
    key: SessionKey,
    name: string,
    owner: string,
    knocks: number,
    patch?: Partial<Progress>,
  ): Promise<Released>;
}

export type DestinationClaim =
  | { readonly kind: 'claimed'; readonly destination: Destination }
  /** Another owner holds it, and knows now that there may be more. */
  | { readonly kind: 'held' }
  | { readonly kind: 'unknown' };

export type Released =
  | { readonly kind: 'released' }
  | { readonly kind: 'knocked'; readonly knocks: number }
  | { readonly kind: 'lost' };
