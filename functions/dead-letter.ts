import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { reviveOrEnd } from '../shared/agent/dead-letter.ts';
import { Wake } from '../shared/contract/queue.ts';
import { settleBatch } from './middleware/settle-batch.ts';
import { corePorts, noProvider, stepOptions } from './middleware/step-ports.ts';

const io = { ...corePorts(), provider: noProvider };
const options = stepOptions();

/** Consumer of the dead-letter queue: another try, or the end of the run. What is no wake is logged and dropped. */
export const handler = middy<SQSEvent, SQSBatchResponse>().handler((event, context) =>
  settleBatch(event, context, Wake, (wake, invocation) => reviveOrEnd(wake, invocation, options, io), 'ack'),
);
