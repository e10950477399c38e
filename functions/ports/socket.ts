import definition from '#definition';
import { createApiKeys } from '../../shared/aws/api-keys.ts';
import { createConnections } from '../../shared/aws/connections.ts';
import { isOutage } from '../../shared/aws/outage.ts';
import { createTickets } from '../../shared/aws/tickets.ts';
import type { Tickets } from '../../shared/edge/tickets.ts';
import { readEnv } from '../middleware/environment.ts';
import type { SocketContext } from '../routes/socket-actions.ts';
import { edgePorts } from './edge.ts';
import { openPace } from './pace.ts';
import { pacedConnections } from './paced-connections.ts';

/** The ports of the WebSocket API. */
export function socketPorts(): SocketContext & { readonly tickets: Pick<Tickets, 'redeem'> } {
  const { agents } = definition;
  const { io, dynamo } = edgePorts(readEnv('TABLE_NAME', 'STEP_QUEUE_URL', 'SOCKET_URL', 'BLOB_BUCKET'));
  return {
    io,
    tickets: createTickets(dynamo, io.clock),
    connections: pacedConnections(createConnections(dynamo, io.clock), openPace(dynamo, io.clock), io.clock),
    keys: createApiKeys(dynamo, io.clock),
    agents,
    isOutage,
  };
}
