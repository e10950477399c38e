import type { SessionRow } from '../../../client/index.ts';

/** The runs that ended in one minute. */
export interface Minute {
  /** Epoch ms of the minute's start. */
  readonly at: number;
  readonly runs: number;
  /** Steps of those runs. */
  readonly steps: number;
}

const MINUTE_MS = 60_000;

/**
 * Runs that ended in each of the last minutes, and their steps, oldest first. Only the last run of each session is
 * known, so a session with several finished runs counts once. Pure.
 *
 * @param now epoch ms
 */
export function perMinute(rows: readonly SessionRow[], now: number, minutes = 60): Minute[] {
  const first = (Math.floor(now / MINUTE_MS) - minutes + 1) * MINUTE_MS;
  const found = Array.from({ length: minutes }, (_, i) => ({ at: first + i * MINUTE_MS, runs: 0, steps: 0 }));
  for (const { movedAt, steps, ranMs } of rows) {
    const minute = found[Math.floor((Date.parse(movedAt) - first) / MINUTE_MS)];
    if (!minute || ranMs === undefined) continue;
    minute.runs += 1;
    minute.steps += steps;
  }
  return found;
}
