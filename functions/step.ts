import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import type { Settlement } from '../shared/agent/ports/ports.ts';
import type { Invocation } from '../shared/agent/ports/queue.ts';
import { runStep } from '../shared/agent/step/run-step.ts';
import { DueSchedules, Wake } from '../shared/contract/queue.ts';
import { settleBatch } from './middleware/settle-batch.ts';
import { withChildren } from './ports/children.ts';
import { readDeclaredModels } from './ports/declared.ts';
import { deployedSkills } from './ports/skills.ts';
import { endingIn, exported, meteredRun, stepOptions, stepPorts } from './ports/step.ts';

const options = { ...stepOptions(), skillsOf: deployedSkills };
const io = withChildren(stepPorts(), options);

const Message = z.union([Wake, DueSchedules]);
type Message = z.infer<typeof Message>;

/** Few messages are of the sweeper, for schedules. */
const work = async (message: Message, invocation: Invocation): Promise<Settlement> =>
  'schedules' in message
    ? (await import('./ports/due-schedules.ts')).lookAtSchedules(message, io)
    : runStep(message, invocation, options, io);

/** Consumer of the step queue: one message, one step. */
export const handler = middy<SQSEvent, SQSBatchResponse>().handler(async (event, context) => {
  const settled = endingIn(context.getRemainingTimeInMillis(), () =>
    meteredRun(() => settleBatch(event, context, Message, work, { acked: 'debug' })),
  );
  readDeclaredModels();
  const settlements = await settled;
  await exported();
  return settlements;
});
