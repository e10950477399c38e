import type { Tick } from './schedule.ts';

/** Ms for which a tick may stay open because this deployment does not have its message: a deploy is over by then. */
const MAX_OPEN_MS = 60 * 60_000;

/** Whether a tick that cannot be started is given up. */
export const isTooLate = ({ takenAt }: Tick, now: number): boolean => now - takenAt > MAX_OPEN_MS;
