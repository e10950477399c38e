import middy from '@middy/core';
import { sweep } from '../shared/agent/doors/sweep.ts';
import { log } from '../shared/logger.ts';
import { corePorts } from './ports/step.ts';

const io = corePorts();

/** Time in ms that the last sessions have which a sweep wakes: as long as all tries of the calls for one of them take. */
const RESERVE_MS = 10_000;

/** Each minute: wakes all sessions whose wake is overdue, or as many as there is time for. */
export const handler = middy().handler(async (_event, context) => {
  const startedAt = io.clock.now();
  const { woken, all } = await sweep(io, startedAt + context.getRemainingTimeInMillis() - RESERVE_MS);
  log('info', 'swept', { woken, all, ms: io.clock.now() - startedAt });
});
