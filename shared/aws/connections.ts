import type { Clock } from '../agent/ports/ports.ts';
import { CONNECTION_MS, type Connections } from '../edge/connections.ts';
import type { Dynamo } from './dynamo.ts';
import { sorted } from './head.ts';
import { toAttributes, toIdentity } from './identity-item.ts';
import { lifetime, ttlFrom } from './layout.ts';

/** WebSocket connections in DynamoDB, one item each. */
export function createConnections(dynamo: Dynamo, clock: Pick<Clock, 'now'>): Connections {
  return {
    async open(connectionId, caller) {
      const now = clock.now();
      const expiresAt = now + CONNECTION_MS;
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

// No tenant's name starts with `_`, so these keys belong to no tenant.
const connectionKey = (connectionId: string) => ({ pk: `_connection#${connectionId}`, sk: 'CONNECTION' });
