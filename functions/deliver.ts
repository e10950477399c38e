import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { callbackChannel } from '../shared/agent/outbound/callback.ts';
import { type Channels, deliver } from '../shared/agent/outbound/deliver.ts';
import { awsPorts } from '../shared/aws/ports.ts';
import { Delivery } from '../shared/contract/queue.ts';
import { callbackPoster } from './callbacks/poster.ts';
import { readEnv, s3Endpoint } from './middleware/environment.ts';
import { settleBatch } from './middleware/settle-batch.ts';

const { TABLE_NAME, DELIVERY_QUEUE_URL, BLOB_BUCKET, ...callbackEnv } = readEnv(
  'TABLE_NAME',
  'DELIVERY_QUEUE_URL',
  'BLOB_BUCKET',
  'CALLBACK_SIGNING_SECRET_ID',
  'CALLBACK_LOOPBACK',
);
const io = awsPorts({
  tableName: TABLE_NAME,
  deliveryQueueUrl: DELIVERY_QUEUE_URL,
  bucket: BLOB_BUCKET,
  s3Endpoint: s3Endpoint(),
});

/** By the kind of the destination. */
const channels: Channels = {
  callback: callbackChannel({
    ...io,
    post: callbackPoster({
      allowLoopback: callbackEnv.CALLBACK_LOOPBACK === 'allow',
      masters: () => io.secrets.get(callbackEnv.CALLBACK_SIGNING_SECRET_ID),
    }),
  }),
};

/** Consumer of the delivery queue: one message, the listeners of one session. */
export const handler = middy<SQSEvent, SQSBatchResponse>().handler((event, context) =>
  settleBatch(event, context, Delivery, (delivery, invocation) =>
    deliver(delivery, invocation, channels, io),
  ),
);
