import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { outcomesOf } from '../shared/agent/doors/decided.ts';
import { callbackChannel } from '../shared/agent/outbound/callback.ts';
import { type Channels, deliver } from '../shared/agent/outbound/deliver.ts';
import { createSlackStore } from '../shared/aws/slack.ts';
import { Delivery } from '../shared/contract/queue.ts';
import { log } from '../shared/logger.ts';
import { outcomeTexts } from '../shared/slack/asks.ts';
import { createSlackChannel } from '../shared/slack/channel.ts';
import { callbackPoster } from './callbacks/poster.ts';
import { edgePorts } from './middleware/edge-ports.ts';
import { readEnv } from './middleware/environment.ts';
import { settleBatch } from './middleware/settle-batch.ts';

const env = readEnv(
  'TABLE_NAME',
  'DELIVERY_QUEUE_URL',
  'BLOB_BUCKET',
  'SLACK_API_URL',
  'CALLBACK_SIGNING_SECRET_ID',
  'CALLBACK_LOOPBACK',
);
const { io, dynamo } = edgePorts(env);

/** By the kind of the destination. */
const channels: Channels = {
  callback: callbackChannel({
    ...io,
    post: callbackPoster({
      allowLoopback: env.CALLBACK_LOOPBACK === 'allow',
      masters: () => io.secrets.get(env.CALLBACK_SIGNING_SECRET_ID),
    }),
  }),
  slack: createSlackChannel({
    store: createSlackStore(dynamo, io.clock),
    tokens: { get: (id, fresh) => (fresh ? io.secrets.refresh(id) : io.secrets.get(id)) },
    apiWith: async (token) => {
      const { createSlackApi, webClient } = await import('../shared/slack/web-api.ts');
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

/** Consumer of the delivery queue: one message, the listeners of one session. */
export const handler = middy<SQSEvent, SQSBatchResponse>().handler((event, context) =>
  settleBatch(event, context, Delivery, (delivery, invocation) =>
    deliver(delivery, invocation, channels, io),
  ),
);
