import definition from '#definition';
import { runDue } from '../../shared/agent/entrypoints/schedules/due.ts';
import { TenantKeyDeleted } from '../../shared/agent/plain/tenant-key-deleted.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import { createApiKeys } from '../../shared/aws/api-keys.ts';
import { createOutbound } from '../../shared/aws/outbound.ts';
import { createSchedules } from '../../shared/aws/schedules.ts';
import type { DueSchedules } from '../../shared/contract/queue.ts';
import { errorFacts, log } from '../../shared/logger.ts';
import { priceOf } from '../../shared/models/prices.ts';
import { readEnv } from '../middleware/environment.ts';
import { openTable } from './sealing.ts';

/** Looks at schedules that a message names. Loaded with the first one. Failures are logged: the next sweep brings those again. */
export async function lookAtSchedules(due: DueSchedules, io: Ports): Promise<'ack'> {
  const { TABLE_NAME } = readEnv('TABLE_NAME');
  const dynamo = openTable(TABLE_NAME);
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
  // The sweeper deletes the schedules of a tenant whose key was deleted.
  for (const failure of failures.filter((one) => !(one instanceof TenantKeyDeleted)))
    log('error', 'a schedule failed; the sweeper tries again', errorFacts(failure));
  log('info', 'looked at schedules', { schedules: due.schedules.length, started, others });
  return 'ack';
}
