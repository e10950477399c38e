import type { Cap } from '../session/parent.ts';

/** The agent that answers the calls of a tool, and for how long and how much it may work. */
export interface Delegation {
  readonly agent: string;
  readonly cap?: Cap;
  /** Seconds until its answer no longer counts, and it is stopped. */
  readonly expiresAfterSeconds: number;
}
