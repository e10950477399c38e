import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { runStep } from '../shared/agent/step/run-step.ts';
import { Wake } from '../shared/contract/queue.ts';
import { settleBatch } from './middleware/settle-batch.ts';
import { withChildren } from './ports/children.ts';
import { readDeclaredModels } from './ports/declared.ts';
import { deployedSkills } from './ports/skills.ts';
import { endingIn, exported, meteredRun, stepOptions, stepPorts } from './ports/step.ts';

const options = { ...stepOptions(), skillsOf: deployedSkills };
const io = withChildren(stepPorts(), options);

/** Consumer of the step queue: one message, one step. */
export const handler = middy<SQSEvent, SQSBatchResponse>().handler(async (event, context) => {
  const settled = endingIn(context.getRemainingTimeInMillis(), () =>
    meteredRun(() =>
      settleBatch(event, context, Wake, (wake, invocation) => runStep(wake, invocation, options, io), {
        acked: 'debug',
      }),
    ),
  );
  readDeclaredModels();
  const settlements = await settled;
  await exported();
  return settlements;
});
