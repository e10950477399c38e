import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { runCall } from '../shared/agent/entrypoints/call.ts';
import { CallMessage } from '../shared/contract/queue.ts';
import { settleBatch } from './middleware/settle-batch.ts';
import { endingIn, stepOptions, toolPorts } from './ports/step.ts';

const io = toolPorts();
const { agentOf } = stepOptions();

/** Consumer of the tool queue: one message, one call. */
export const handler = middy<SQSEvent, SQSBatchResponse>().handler((event, context) =>
  endingIn(context.getRemainingTimeInMillis(), () =>
    settleBatch(event, context, CallMessage, (message, invocation) =>
      runCall(message, invocation, agentOf, io),
    ),
  ),
);
