import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { agents, webhooks } from '#agents';
import { createBodies } from '../shared/aws/bodies.ts';
import { createDeadDeliveries } from '../shared/aws/dead-deliveries.ts';
import { createHookLog } from '../shared/aws/hook-log.ts';
import { priceOf } from '../shared/models/prices.ts';
import { edgePorts } from './middleware/edge-ports.ts';
import { readEnv } from './middleware/environment.ts';
import { answerInTime, problems } from './middleware/problem.ts';
import { webhookSecrets } from './webhooks/secrets.ts';
import { type HookContext, takeDelivery } from './webhooks/take.ts';

const env = readEnv(
  'TABLE_NAME',
  'STEP_QUEUE_URL',
  'BLOB_BUCKET',
  'CALLBACK_LOOPBACK',
  'WEBHOOK_SECRETS_ID',
  'GITHUB_WEBHOOK_SECRET_ID',
);
const { io, dynamo } = edgePorts(env);
const { WEBHOOK_SECRETS_ID, GITHUB_WEBHOOK_SECRET_ID, CALLBACK_LOOPBACK } = env;
const context: HookContext = {
  io,
  hookLog: createHookLog(dynamo, io.clock),
  dead: createDeadDeliveries(dynamo, createBodies(io.blobs), io.clock),
  secretsOf: webhookSecrets(io.secrets, { GITHUB_WEBHOOK_SECRET_ID }, WEBHOOK_SECRETS_ID),
  webhooks,
  agents,
  priceOf,
  allowLoopback: CALLBACK_LOOPBACK === 'allow',
};

/** Deliveries of other systems, which sign them. */
export const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>(answerInTime)
  .use(problems())
  .handler((event, invocation) =>
    takeDelivery(event, context, io.clock.now() + invocation.getRemainingTimeInMillis()),
  );
