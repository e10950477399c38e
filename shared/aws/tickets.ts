import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../agent/ports/ports.ts';
import { TICKET_MS, type Tickets } from '../edge/tickets.ts';
import type { Dynamo } from './dynamo.ts';
import { toAttributes, toIdentity } from './identity-item.ts';
import { ttlFrom } from './layout.ts';

/** Tickets in DynamoDB. Only their hash is stored. */
export function createTickets(dynamo: Dynamo, clock: Pick<Clock, 'now'>): Tickets {
  return {
    async issue(caller) {
      const ticket = randomBytes(32).toString('base64url');
      const now = clock.now();
      // A ticket stands in for its caller's credential, and is not good for longer.
      const expiresAt = Math.min(now + TICKET_MS, caller.expiresAt ?? Number.POSITIVE_INFINITY);
      const ttl = ttlFrom(now, TICKET_MS / 1000);
      await dynamo.put({ ...ticketKey(ticket), ...toAttributes(caller), expiresAt, ttl });
      return { ticket, expiresAt };
    },

    async redeem(ticket) {
      // DynamoDB deletes expired items days late, so the condition looks at the time itself. When the SDK repeats
      // a delete whose answer was lost, the ticket is gone: the client asks for another one.
      const inTime = '#expiresAt > :now';
      const redeemed = await dynamo.remove(ticketKey(ticket), [inTime], { now: clock.now() });
      return redeemed.kind === 'written' ? toIdentity(redeemed.item) : undefined;
    },
  };
}

// No tenant's name starts with `_`, so these keys belong to no tenant.
const ticketKey = (ticket: string) => ({
  pk: `_ticket#${createHash('sha256').update(ticket).digest('hex')}`,
  sk: 'TICKET',
});
