import type { SessionKey } from '../../contract/session.ts';

/** How external listeners are reached: one channel for each kind. */
export const destinationKinds = ['callback', 'slack', 'channel'] as const;
export type DestinationKind = (typeof destinationKinds)[number];

/** One external listener of one session: what it is, and how far it has been told. */
export interface Destination extends Progress {
  /** Unique in its session, at most 64 letters, digits, - and _. */
  readonly name: string;
  readonly kind: DestinationKind;
  /** Data with which its channel reaches it: JSON in the channel's own form. Never a secret. */
  readonly config: unknown;
  /** Changes whenever a delivery could not claim it: the owner then looks again before it releases it. */
  readonly knocks: number;
}

/** The part that changes as it is served. */
export interface Progress {
  /** Seq of the last event that is finished: the channel reads the log after it. */
  readonly cursor: number;
  /** The channel's memory from one delivery to the next: JSON in its own form (a stream's `ts`, the run's id). */
  readonly memory: unknown;
  /** `disabled`: it wants no more events. `given_up`: the last event for it was dropped after many tries. */
  readonly state: 'active' | 'given_up' | 'disabled';
  /** Failed tries in a row. */
  readonly attempts: number;
  /** Epoch ms before which it is not tried; 0 for at once. */
  readonly nextAt: number;
  /** Epoch ms at which a delayed delivery is on its way for `nextAt`; 0 without one. */
  readonly hopAt: number;
}

/** The progress of a destination that is tried at once ({@link OutboundStore.hurry}). */
export const atOnce = { state: 'active', nextAt: 0, hopAt: 0 } as const satisfies Partial<Progress>;

/** A destination that has not been told anything. */
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
 * Destinations of sessions. One owner at a time serves a destination, so that it is told everything in order; a stale owner
 * cannot change anything. The clock only affects how much work is wasted, never safety: an owner whose lease has expired and
 * who has not been replaced still holds it.
 *
 * An owner keeps the queue message that woke it until it has released the destination. So a delivery that finds the destination
 * held need not come back: it knocks, and the owner looks again.
 */
export interface OutboundStore {
  /** Adds a destination, if there is none with its name. Idempotent: the first one stays. */
  put(key: SessionKey, destination: Destination): Promise<'put' | 'exists'>;
  /** The session's destinations by name, strongly consistent. */
  list(key: SessionKey): Promise<Destination[]>;
  /**
   * Lets the next delivery try the destination at once, even if it waits for a later try or wants no more events. Has no effect on
   * a try that runs. Idempotent.
   */
  hurry(key: SessionKey, name: string): Promise<'hurried' | 'unknown'>;
  /** Takes the destination for `owner`, until `now + leaseMs`; or knocks, if another owner holds it. */
  claim(
    key: SessionKey,
    name: string,
    owner: string,
    leaseMs: number,
    now: number,
  ): Promise<DestinationClaim>;
  /** Stores progress as absolute values. `lost` if `owner` no longer holds it: stop, and send nothing. */
  advance(
    key: SessionKey,
    name: string,
    owner: string,
    patch: Partial<Progress>,
  ): Promise<'advanced' | 'lost'>;
  /** Stores progress and releases it, unless another delivery has knocked since `knocks` was read: then nothing changes. */
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
  /** Another owner holds it, and now knows that there may be more. */
  | { readonly kind: 'held' }
  | { readonly kind: 'unknown' };

export type Released =
  | { readonly kind: 'released' }
  | { readonly kind: 'knocked'; readonly knocks: number }
  | { readonly kind: 'lost' };
