import type { Clock } from '../agent/ports/ports.ts';
import type { Identity } from '../contract/identity.ts';
import { TICKET_MS, type Tickets } from '../edge/tickets.ts';
import { copy } from './copy.ts';

/** Tickets in memory. They are consecutive numbers, and easy to guess. */
export function createTickets(clock: Pick<Clock, 'now'>): Tickets {
  const issued = new Map<string, { readonly caller: Identity; readonly expiresAt: number }>();
  let count = 0;
  return {
    async issue(caller) {
      const ticket = `ticket${++count}`;
      const expiresAt = Math.min(clock.now() + TICKET_MS, caller.expiresAt ?? Number.POSITIVE_INFINITY);
      issued.set(ticket, { caller: copy(caller), expiresAt });
      return { ticket, expiresAt };
    },

    async redeem(ticket) {
      const found = issued.get(ticket);
      if (!found || found.expiresAt <= clock.now()) return undefined;
      issued.delete(ticket);
      return copy(found.caller);
    },
  };
}
