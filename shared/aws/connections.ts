/**
 * WebSocket connections and the tickets that open them. A ticket stands in for the API token, because URLs get
 * logged: it is good for one connection, within a minute. Only its hash is stored.
 */

import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../agent/ports.ts';
import type { SessionKey } from '../contract/session.ts';
import type { Dynamo } from './dynamo.ts';
import { sorted } from './head.ts';
import { lifetime, ttlFrom } from './layout.ts';

export interface Connections {
  /** A new ticket, and the epoch ms at which it expires. */
  issueTicket(tenant: string): Promise<{ ticket: string; expiresAt: number }>;
  /** The tenant that the ticket was issued to; undefined when it is unknown, expired or used. */
  redeemTicket(ticket: string): Promise<string | undefined>;
  open(connectionId: string, tenant: string): Promise<void>;
  /** Whose connection it is; undefined when it is not open. */
  tenantOf(connectionId: string): Promise<string | undefined>;
  /** Notes a subscription, for `close`. `closed` when the connection is gone, or another tenant's. */
  remember(connectionId: string, key: SessionKey): Promise<'remembered' | 'closed'>;
  /** Forgets the connection. The sessions it was subscribed to, which the caller tells. */
  close(connectionId: string): Promise<SessionKey[]>;
}

export function createConnections(dynamo: Dynamo, clock: Pick<Clock, 'now'>): Connections {
  return {
    async issueTicket(tenant) {
      const ticket = randomBytes(32).toString('base64url');
      const now = clock.now();
      const expiresAt = now + lifetime.ticket * 1000;
      await dynamo.put({ ...ticketKey(ticket), tenant, expiresAt, ttl: ttlFrom(now, lifetime.ticket) });
      return { ticket, expiresAt };
    },

    async redeemTicket(ticket) {
      // DynamoDB deletes expired items days late, so the condition looks at the time itself. When the SDK repeats
      // a delete whose answer was lost, the ticket is gone: the client asks for another one.
      const inTime = '#expiresAt > :now';
      const redeemed = await dynamo.remove(ticketKey(ticket), [inTime], { now: clock.now() });
      return redeemed.kind === 'written' ? redeemed.item.tenant : undefined;
    },

    async open(connectionId, tenant) {
      const ttl = ttlFrom(clock.now(), lifetime.connection);
      await dynamo.put({ ...connectionKey(connectionId), tenant, ttl });
    },

    async tenantOf(connectionId) {
      return (await dynamo.get(connectionKey(connectionId)))?.tenant;
    },

    async remember(connectionId, { tenant, sessionId }) {
      const isTheTenants = '#tenant = :tenant';
      const written = await dynamo.update({
        key: connectionKey(connectionId),
        add: ['#sessions :sessions'],
        when: [isTheTenants],
        values: { sessions: new Set([sessionId]), tenant },
      });
      return written.kind === 'written' ? 'remembered' : 'closed';
    },

    async close(connectionId) {
      const closed = await dynamo.remove(connectionKey(connectionId), []);
      if (closed.kind === 'refused') return [];
      const { tenant, sessions } = closed.item;
      return sorted(sessions).map((sessionId) => ({ tenant, sessionId }));
    },
  };
}

// No tenant's name starts with `_`: these keys are nobody's.
const ticketKey = (ticket: string) => ({
  pk: `_ticket#${createHash('sha256').update(ticket).digest('hex')}`,
  sk: 'TICKET',
});
const connectionKey = (connectionId: string) => ({ pk: `_connection#${connectionId}`, sk: 'CONNECTION' });
