import { agents, webhooks } from '#agents';
import { createBodies } from '../../shared/aws/bodies.ts';
import { createDeadDeliveries } from '../../shared/aws/dead-deliveries.ts';
import { createHookLog } from '../../shared/aws/hook-log.ts';
import { countDeadDelivery } from '../../shared/aws/meter.ts';
import { isOutage } from '../../shared/aws/outage.ts';
import { noCallbacks } from '../../shared/callbacks/none.ts';
import { parsePublicUrl } from '../../shared/egress/addresses.ts';
import { priceOf } from '../../shared/models/prices.ts';
import { optionalEnv, readEnv } from '../middleware/environment.ts';
import { webhookSecrets } from '../webhooks/secrets.ts';
import type { HookContext } from '../webhooks/take.ts';
import { outboundPorts } from './edge.ts';

/** What the route of the webhooks works with. */
export function hookPorts(): HookContext {
  const env = readEnv(
    'TABLE_NAME',
    'STEP_QUEUE_URL',
    'BLOB_BUCKET',
    'WEBHOOK_SECRETS_ID',
    'GITHUB_WEBHOOK_SECRET_ID',
  );
  const { io, dynamo } = outboundPorts(env);
  const loopback = optionalEnv('CALLBACK_LOOPBACK');
  const { WEBHOOK_SECRETS_ID, GITHUB_WEBHOOK_SECRET_ID } = env;
  return {
    io,
    hookLog: createHookLog(dynamo, io.clock),
    dead: createDeadDeliveries(dynamo, createBodies(io.blobs), io.clock),
    countDead: countDeadDelivery,
    secretsOf: webhookSecrets(io.secrets, { GITHUB_WEBHOOK_SECRET_ID }, WEBHOOK_SECRETS_ID),
    webhooks,
    agents,
    priceOf,
    callbacks: loopback ? { check: (text) => parsePublicUrl(text, loopback === 'allow') } : noCallbacks,
    isOutage,
  };
}
