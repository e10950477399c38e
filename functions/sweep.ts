import middy from '@middy/core';
import { sweep } from '../shared/agent/doors/sweep.ts';
import { log } from '../shared/logger.ts';
import { corePorts } from './ports/step.ts';

const io = corePorts();

/** Each minute: wakes the sessions whose wake is overdue. */
export const handler = middy().handler(async () => {
  const woken = await sweep(io);
  log('info', 'swept', { woken });
});
