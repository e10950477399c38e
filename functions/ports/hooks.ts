import definition from '#definition';
import { createBodies } from '../../shared/aws/bodies.ts';
import { createDeadDeliveries } from '../../shared/aws/dead-deliveries.ts';
import { createHookLog } from '../../shared/aws/hook-log.ts';
import { countDeadDelivery } from '../../shared/aws/meter.ts';
import { isOutage } from '../../shared/aws/outage.ts';
import { noCallbacks } from '../../shared/callbacks/none.ts';
import { parsePublicUrl } from '../../shared/egress/addresses.ts';
import { priceOf } from '../../shared/models/prices.ts';
import { envRecord, optionalEnv, readEnv } from '../middleware/environment.ts';
import { webhookSecrets } from '../webhooks/secrets.ts';
import type { HookContext } from '../webhooks/take.ts';
import { outboundPorts } from './edge.ts';

/** The ports of the webhook route. */
export function hookPorts(): HookContext {
  const { agents, webhooks, slack } = definition;
  const env = readEnv('TABLE_NAME', 'STEP_QUEUE_URL', 'BLOB_BUCKET');
  const { io, dynamo } = outboundPorts(env);
  const loopback = optionalEnv('CALLBACK_LOOPBACK');
  return {
    io,
    hookLog: createHookLog(dynamo, io.clock),
    dead: createDeadDeliveries(dynamo, createBodies(io.blobs), io.clock),
    countDead: countDeadDelivery,
    secretsOf: webhookSecrets(io.secrets, envRecord('SECRETS')),
    webhooks,
    agents,
    priceOf,
    callbacks: loopback ? { check: (text) => parsePublicUrl(text, loopback === 'allow') } : noCallbacks,
    isOutage,
    hasSlack: slack !== undefined,
  };
}
