import type { Identity } from '../contract/identity.ts';

/** How long a ticket is good, in ms. */
export const TICKET_MS = 60_000;

/**
 * Tickets stand in for their caller's credential where it would have to be in a URL, because URLs get logged. Rejects when
 * the store cannot be reached. A `redeem` that rejects may have used the ticket up: its holder gets a new one.
 */
export interface Tickets {
  /** A new ticket for whoever this is, and the epoch ms at which it expires: no later than their credential. */
  issue(caller: Identity): Promise<{ readonly ticket: string; readonly expiresAt: number }>;
  /** Whom the ticket was issued to; undefined when it is unknown, expired or used. Of many at once, one gets it. */
  redeem(ticket: string): Promise<Identity | undefined>;
}
