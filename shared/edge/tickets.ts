import type { Identity } from '../contract/identity.ts';

/** How long a ticket is valid, in ms. */
export const TICKET_MS = 60_000;

/**
 * Tickets replace their caller's credential where it would have to be in a URL, because URLs get logged. Rejects when
 * the store cannot be reached. A `redeem` that rejects may have used the ticket up: its holder gets a new one.
 */
export interface Tickets {
  /** A new ticket for this caller, and the epoch ms at which it expires: no later than the caller's credential. */
  issue(caller: Identity): Promise<{ readonly ticket: string; readonly expiresAt: number }>;
  /**
   * The identity to which the ticket was issued; undefined when it is unknown, expired or used. If many redeem it at
   * once, one succeeds.
   */
  redeem(ticket: string): Promise<Identity | undefined>;
}
