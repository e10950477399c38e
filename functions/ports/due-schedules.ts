import definition from '#definition';
import { runDue } from '../../shared/agent/entrypoints/schedules/due.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import { createApiKeys } from '../../shared/aws/api-keys.ts';
import { clients } from '../../shared/aws/clients.ts';
import { createDynamo } from '../../shared/aws/dynamo.ts';
import { createOutbound } from '../../shared/aws/outbound.ts';
import { createSchedules } from '../../shared/aws/schedules.ts';
import type { DueSchedules } from '../../shared/contract/queue.ts';
import { errorFacts, log } from '../../shared/logger.ts';
import { priceOf } from '../../shared/models/prices.ts';
import { readEnv } from '../middleware/environment.ts';

/** Looks at schedules that a message names. Loaded with the first one. Failures are logged: the next sweep brings those again. */
export async function lookAtSchedules(due: DueSchedules, io: Ports): Promise<'ack'> {
  const { TABLE_NAME } = readEnv('TABLE_NAME');
  const dynamo = createDynamo(clients.dynamo(), TABLE_NAME);
  const { agents, schedules: declared } = definition;
  const ticked = await runDue(due, {
    io: { ...io, outbound: createOutbound(dynamo) },
    schedules: createSchedules(dynamo, io.clock),
    agentOf: (name) => agents.find((agent) => agent.name === name),
    priceOf,
    isLive: (keyId) => createApiKeys(dynamo, io.clock).isLive(keyId),
    declared,
  });
  const { started, others, failures } = ticked;
  for (const failure of failures)
    log('error', 'a schedule failed; the sweeper tries again', errorFacts(failure));
  log('info', 'looked at schedules', { schedules: due.schedules.length, started, others });
  return 'ack';
}
