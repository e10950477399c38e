import { lanesOf } from '../../shared/aws/lanes.ts';
import { readEnv } from '../middleware/environment.ts';

/**
 * The queues for wakes, one for each lane. Throws at cold start if their count is not a valid number.
 *
 * @param first URL of the first
 */
export function stepQueues(first: string): readonly string[] {
  const lanes = Number(process.env.STEP_LANES || 1);
  if (!Number.isInteger(lanes) || lanes < 1)
    throw new Error('environment of this function: STEP_LANES must be a whole number of 1 or more');
  return lanesOf(first, lanes, lanes === 1 ? '' : readEnv('STEP_LANE_NAME').STEP_LANE_NAME);
}
