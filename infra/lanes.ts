/** Props: the number of step queues, and how many steps each may have at once. */

import { Token } from 'aws-cdk-lib';
import * as z from 'zod';
import type { LaneProps } from './props.ts';

export interface LanesConfig {
  readonly lanes: Required<LaneProps>;
}

/** Each lane takes four of a stack's 500 resources (`room.ts`). */
const MOST_LANES = 64;

/** Lambda's limits for the concurrency of one queue mapping. */
const STEPS_OF_A_LANE = { least: 2, most: 1000 };

/** Most steps at once over all lanes. */
export const MOST_STEPS = MOST_LANES * STEPS_OF_A_LANE.most;

const count = z
  .number()
  .refine(
    (value) => Number.isInteger(value) && value >= 1 && value <= MOST_LANES,
    `must be a whole number from 1 to ${MOST_LANES}`,
  );

/** The prop, with its default. Tokens are not allowed, because the template has a queue for each lane. */
export const laneProps = {
  lanes: z
    .union(
      [
        count.transform((all) => ({ sends: all, consumes: all })),
        z.strictObject({ sends: count, consumes: count }),
      ],
      `must be a whole number from 1 to ${MOST_LANES}, or two of them: { sends, consumes }`,
    )
    .prefault(1),
};

/** Steps that each lane may have at once, so that the lanes in use have no more than `steps` together. */
export const stepsOfLane = (steps: number, { lanes }: LanesConfig): number =>
  lanes.sends === 1 ? steps : Math.floor(steps / lanes.sends);

/** Values that Lambda would refuse, or that would strand messages, one sentence each. */
export function lanesWrong(config: LanesConfig, steps: number): string[] {
  const { sends, consumes } = config.lanes;
  const { least, most } = STEPS_OF_A_LANE;
  return [
    ...(sends > consumes
      ? ['lanes: every queue that is sent to must be consumed, so sends must not be greater than consumes']
      : []),
    ...(Token.isUnresolved(steps) && sends > 1
      ? ['concurrency.steps: is divided among the lanes, so its value must be known here']
      : []),
    ...(!Token.isUnresolved(steps) && (steps < least * sends || steps > most * sends)
      ? [
          `concurrency.steps: must be from ${least * sends} to ${most * sends} with ${sends} lane${sends === 1 ? '' : 's'} (lanes)`,
        ]
      : []),
  ];
}
