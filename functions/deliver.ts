import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { deliver } from '../shared/agent/outbound/deliver.ts';
import { Delivery } from '../shared/contract/queue.ts';
import { settleBatch } from './middleware/settle-batch.ts';
import { deliverPorts } from './ports/deliver.ts';

const { io, channels } = deliverPorts();

/** Consumer of the delivery queue: one message is for the listeners of one session. */
export const handler = middy<SQSEvent, SQSBatchResponse>().handler((event, context) =>
  settleBatch(event, context, Delivery, (delivery, invocation) =>
    deliver(delivery, invocation, channels, io),
  ),
);
