import type { Clock } from '../agent/ports/ports.ts';
import type { Identity } from '../contract/identity.ts';
import { CONNECTION_MS, type Connections } from '../edge/connections.ts';
import { copy } from './copy.ts';

interface Connection {
  readonly caller: Identity;
  readonly expiresAt: number;
  readonly sessions: Set<string>;
}

/** WebSocket connections in memory. */
export function createConnections(clock: Pick<Clock, 'now'>): Connections {
  const connections = new Map<string, Connection>();
  const live = (id: string) => {
    const found = connections.get(id);
    return found && found.expiresAt > clock.now() ? found : undefined;
  };
  return {
    async open(connectionId, caller) {
      const expiresAt = clock.now() + CONNECTION_MS;
      connections.set(connectionId, { caller: copy(caller), expiresAt, sessions: new Set() });
    },

    callerOf: async (connectionId) => copy(live(connectionId)?.caller),
    gone: async (connectionIds) => connectionIds.filter((id) => !live(id)),

    async remember(connectionId, { tenant, sessionId }) {
      const connection = connections.get(connectionId);
      if (connection?.caller.tenant !== tenant) return 'closed';
      connection.sessions.add(sessionId);
      return 'remembered';
    },

    async close(connectionId) {
      const closed = connections.get(connectionId);
      connections.delete(connectionId);
      const { tenant = '' } = closed?.caller ?? {};
      return [...(closed?.sessions ?? [])].sort().map((sessionId) => ({ tenant, sessionId }));
    },
  };
}
