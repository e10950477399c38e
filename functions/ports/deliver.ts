import { outcomesOf } from '../../shared/agent/doors/decided.ts';
import { callbackChannel } from '../../shared/agent/outbound/callback.ts';
import type { Channels } from '../../shared/agent/outbound/deliver.ts';
import { createSlackStore } from '../../shared/aws/slack.ts';
import { createCallbacks } from '../../shared/callbacks/callbacks.ts';
import { callbackPoster } from '../../shared/callbacks/poster.ts';
import { log } from '../../shared/logger.ts';
import { outcomeTexts } from '../../shared/slack/asks.ts';
import { createSlackChannel } from '../../shared/slack/channel.ts';
import { readEnv } from '../middleware/environment.ts';
import { outboundPorts } from './edge.ts';

/** What the delivery to listeners outside works with, and how each kind of them is told. */
export function deliverPorts() {
  const env = readEnv(
    'TABLE_NAME',
    'DELIVERY_QUEUE_URL',
    'BLOB_BUCKET',
    'SLACK_API_URL',
    'CALLBACK_SIGNING_SECRET_ID',
    'CALLBACK_LOOPBACK',
  );
  const { io, dynamo } = outboundPorts(env);
  const calling = {
    allowLoopback: env.CALLBACK_LOOPBACK === 'allow',
    masters: () => io.secrets.get(env.CALLBACK_SIGNING_SECRET_ID),
  };
  const channels: Channels = {
    callback: callbackChannel({ ...io, post: callbackPoster(createCallbacks(calling), calling) }),
    slack: createSlackChannel({
      store: createSlackStore(dynamo, io.clock),
      tokens: { get: (id, fresh) => (fresh ? io.secrets.refresh(id) : io.secrets.get(id)) },
      apiWith: async (token) => {
        const { createSlackApi, webClient } = await import('../../shared/slack/web-api.ts');
        return createSlackApi(webClient(env.SLACK_API_URL, token));
      },
      sessions: io.sessions,
      clock: io.clock,
      outcomes: async (key, asks) => {
        const ids = asks.map(({ id }) => id);
        return outcomeTexts(asks, await outcomesOf(key, ids, io));
      },
      log: (message, facts) => log('warn', message, facts),
    }),
  };
  return { io, channels };
}
