import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { abandonCall } from '../shared/agent/entrypoints/call.ts';
import { reviveOrEnd } from '../shared/agent/entrypoints/dead-letter.ts';
import type * as Step from '../shared/agent/step/run-step.ts';
import { CallMessage, DueSchedules, Wake } from '../shared/contract/queue.ts';
import { settleBatch } from './middleware/settle-batch.ts';
import { endingPorts, exported, stepOptions } from './ports/step.ts';

const io = endingPorts();
const options = stepOptions();

/** Loaded on demand: most letters do not need the code of the step. */
const runStep: typeof Step.runStep = async (...step) =>
  (await import('../shared/agent/step/run-step.ts')).runStep(...step);

/**
 * Consumer of two dead-letter queues. A wake gets another try, or its run is ended. A queued call is given up, and its run
 * continues without it. A message for schedules is dropped: the sweeper sends another one. Any other message is logged and
 * dropped.
 */
export const handler = middy<SQSEvent, SQSBatchResponse>().handler(async (event, context) => {
  const settled = await settleBatch(
    event,
    context,
    z.union([CallMessage, Wake, DueSchedules]),
    async (letter, invocation) => {
      if ('schedules' in letter) return 'ack';
      if ('callId' in letter) return abandonCall(letter, invocation, io);
      return reviveOrEnd(letter, invocation, options, io, runStep);
    },
    { onUnreadable: 'ack' },
  );
  await exported();
  return settled;
});
