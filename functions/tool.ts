import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { runCall } from '../shared/agent/call.ts';
import { CallMessage } from '../shared/contract/queue.ts';
import { settleBatch } from './middleware/settle-batch.ts';
import { stepOptions, toolPorts } from './middleware/step-ports.ts';

const io = toolPorts();
const { agentOf } = stepOptions();

/**
 * What is in the way of a call (a step that owns its session for a moment) is soon gone, and the queue hides a message
 * for as long as a call may run. So it comes back after 2 s, then 4, up to this many ms: 20 receipts are more than the
 * 15 minutes that another worker of the same message can live.
 */
const LONGEST_PAUSE_MS = 60_000;

/** Consumer of the tool queue: one message, one call. */
export const handler = middy<SQSEvent, SQSBatchResponse>().handler((event, context) =>
  settleBatch(event, context, CallMessage, async (message, invocation) => {
    const settlement = await runCall(message, invocation, agentOf, io);
    if (settlement === 'retry') {
      const pauseMs = Math.min(LONGEST_PAUSE_MS, 1_000 * 2 ** receipts(event, invocation.message.messageId));
      await io.queue.hide(invocation.message, pauseMs);
    }
    return settlement;
  }),
);

/** How often the message has been received by now. */
function receipts({ Records }: SQSEvent, id: string): number {
  const record = Records.find(({ messageId }) => messageId === id);
  return Number(record?.attributes.ApproximateReceiveCount ?? 1);
}
