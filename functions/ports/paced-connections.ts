import type { Clock } from '../../shared/agent/ports/ports.ts';
import type { Connections } from '../../shared/edge/connections.ts';
import type { Pace } from '../middleware/pace.ts';

/** The units of a new connection in its tenant's limit of requests: it is written, and stays for two hours. */
const CONNECT = 5;

/** Connections whose opening and whose messages count in their tenant's limit of requests. Beyond it both refuse with 429. */
export function pacedConnections(
  connections: Connections,
  pace: Pace,
  clock: Pick<Clock, 'now'>,
): Connections {
  const admit = (tenant: string, units: number) => pace.admit({ tenant, at: clock.now(), units });
  return {
    ...connections,
    async open(connectionId, caller) {
      await admit(caller.tenant, CONNECT);
      await connections.open(connectionId, caller);
    },
    async callerOf(connectionId) {
      const caller = await connections.callerOf(connectionId);
      if (caller) await admit(caller.tenant, 1);
      return caller;
    },
  };
}
