/**
 * WebSocket connections and the tickets that open them. A ticket stands in for its caller's credential, because URLs
 * get logged: it is good for one connection, within a minute. Only its hash is stored.
 */

import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../agent/ports.ts';
import type { Identity } from '../contract/identity.ts';
import type { SessionKey } from '../contract/session.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { sorted } from './head.ts';
import { lifetime, ttlFrom } from './layout.ts';

export interface Connections {
  /** A new ticket for whoever this is, and the epoch ms at which it expires. */
  issueTicket(caller: Identity): Promise<{ ticket: string; expiresAt: number }>;
  /** Whom the ticket was issued to; undefined when it is unknown, expired or used. Of many at once, one gets it. */
  redeemTicket(ticket: string): Promise<Identity | undefined>;
  open(connectionId: string, caller: Identity): Promise<void>;
  /** Whose connection it is; undefined when it is not open, or older than API Gateway lets one be. */
  callerOf(connectionId: string): Promise<Identity | undefined>;
  /** Of these, those that are open no more. At most 100. */
  gone(connectionIds: readonly string[]): Promise<string[]>;
  /** Notes a subscription, for `close`. `closed` when the connection is gone, or another tenant's. */
  remember(connectionId: string, key: SessionKey): Promise<'remembered' | 'closed'>;
  /** Forgets the connection. The sessions it was subscribed to, which the caller tells. */
  close(connectionId: string): Promise<SessionKey[]>;
}

export function createConnections(dynamo: Dynamo, clock: Pick<Clock, 'now'>): Connections {
  return {
    async issueTicket(caller) {
      const ticket = randomBytes(32).toString('base64url');
      const now = clock.now();
      // A ticket stands in for its caller's credential, and is not good for longer.
      const expiresAt = Math.min(now + lifetime.ticket * 1000, caller.expiresAt ?? Number.POSITIVE_INFINITY);
      const ttl = ttlFrom(now, lifetime.ticket);
      await dynamo.put({ ...ticketKey(ticket), ...toAttributes(caller), expiresAt, ttl });
      return { ticket, expiresAt };
    },

    async redeemTicket(ticket) {
      // DynamoDB deletes expired items days late, so the condition looks at the time itself. When the SDK repeats
      // a delete whose answer was lost, the ticket is gone: the client asks for another one.
      const inTime = '#expiresAt > :now';
      const redeemed = await dynamo.remove(ticketKey(ticket), [inTime], { now: clock.now() });
      return redeemed.kind === 'written' ? toIdentity(redeemed.item) : undefined;
    },

    async open(connectionId, caller) {
      const now = clock.now();
      const expiresAt = now + lifetime.connection * 1000;
      const ttl = ttlFrom(now, lifetime.connectionItem);
      await dynamo.put({ ...connectionKey(connectionId), ...toAttributes(caller), expiresAt, ttl });
    },

    async callerOf(connectionId) {
      const item = await dynamo.get(connectionKey(connectionId));
      return item && item.expiresAt > clock.now() ? toIdentity(item) : undefined;
    },

    async gone(connectionIds) {
      const now = clock.now();
      const items = await dynamo.getAll(connectionIds.map(connectionKey));
      const open = new Set(items.filter(({ expiresAt }) => expiresAt > now).map(({ pk }) => pk));
      return connectionIds.filter((id) => !open.has(connectionKey(id).pk));
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

/** `roles` and `scopes` are lists: a set must not be empty. */
const toAttributes = ({ tenant, subject, kind, roles, scopes, expiresAt }: Identity) => ({
  ...{ tenant, subject, kind, roles, scopes },
  // `expiresAt` of an item is the ticket's or the connection's own.
  goodUntil: expiresAt,
});
const toIdentity = ({ tenant, subject, kind, roles, scopes, goodUntil }: Item): Identity => ({
  tenant,
  subject,
  kind,
  ...(roles !== undefined && { roles }),
  ...(scopes !== undefined && { scopes }),
  ...(goodUntil !== undefined && { expiresAt: goodUntil }),
});

// No tenant's name starts with `_`: these keys are nobody's.
const ticketKey = (ticket: string) => ({
  pk: `_ticket#${createHash('sha256').update(ticket).digest('hex')}`,
  sk: 'TICKET',
});
const connectionKey = (connectionId: string) => ({ pk: `_connection#${connectionId}`, sk: 'CONNECTION' });
