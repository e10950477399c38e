import type { SessionRow } from '../../../client/index.ts';

/** What ended in a minute. */
export interface Minute {
  /** Epoch ms at which it begins. */
  readonly at: number;
  readonly runs: number;
  /** Of those runs. */
  readonly steps: number;
}

const MINUTE_MS = 60_000;

/**
 * Runs that ended in each of the last minutes, and their steps, the oldest first. Of each session its last run is known, so a session that
 * has ended several counts once. Pure.
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
