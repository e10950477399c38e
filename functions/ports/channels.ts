import definition from '#definition';
import { createHookLog } from '../../shared/aws/hook-log.ts';
import { isOutage } from '../../shared/aws/outage.ts';
import { priceOf } from '../../shared/models/prices.ts';
import type { AskContext } from '../channels/asks.ts';
import type { ReceiveContext } from '../channels/receive.ts';
import { envRecord, readEnv } from '../middleware/environment.ts';
import { webhookSecrets } from '../webhooks/secrets.ts';
import { outboundPorts } from './edge.ts';

/** The ports of the routes of channels. */
export function channelPorts(): ReceiveContext & AskContext {
  const { agents, channels } = definition;
  const env = readEnv(
    'TABLE_NAME',
    'STEP_QUEUE_URL',
    'DELIVERY_QUEUE_URL',
    'BLOB_BUCKET',
    'LINK_SIGNING_SECRET_ID',
  );
  const { io, dynamo } = outboundPorts(env);
  const secretOf = webhookSecrets(io.secrets, envRecord('SECRETS'));
  return {
    ...{ io, agents, channels, priceOf, isOutage },
    hookLog: createHookLog(dynamo, io.clock),
    secretsOf: async (name) => (name === undefined ? [] : secretOf(name)),
    masters: () => io.secrets.get(env.LINK_SIGNING_SECRET_ID),
  };
}
