/** Invariant 16, of sweeps: a sweep that reports to be through has reached everything overdue, and none ends early. */

import type { Swept } from '../../../shared/agent/entrypoints/sweep.ts';
import type { Head } from '../../../shared/memory/head.ts';
import type { World } from '../world.ts';
import { SKEW_MS } from './heads.ts';

/**
 * A session that has been overdue for this long is in the index, however far that lags (`past.ts`) and a sweeper's
 * clock is wrong.
 */
const SEEN_MS = 120_000 + 2 * SKEW_MS;

/** Watches one sweeper. */
interface SweepWatch {
  /** A sweep begins. */
  begins(): void;
  /** It has ended with this answer, and would have stopped at `deadlineAt`. */
  ended(swept: Swept, deadlineAt: number): void;
}

export function watchSweeps({ memory, scheduler, ledger }: World): SweepWatch {
  /** The time at which an overdue HEAD was first seen in its current form. */
  const since = new WeakMap<Head, number>();
  let waiting: [string, Head][] = [];
  return {
    begins() {
      const { now } = scheduler;
      const overdue = [...memory.table.heads].filter(
        ([, { sweepAt = Infinity, leaseUntil }]) => sweepAt <= now && leaseUntil <= now - SKEW_MS,
      );
      for (const [, head] of overdue) if (!since.has(head)) since.set(head, now);
      waiting = overdue.filter(([, head]) => (since.get(head) ?? now) <= now - SEEN_MS);
    },
    ended({ all }, deadlineAt) {
      if (!all && scheduler.now < deadlineAt - SKEW_MS)
        ledger.violate(
          '16 a sweep continues',
          `it stopped ${deadlineAt - scheduler.now} ms before its time was over`,
        );
      if (!all) return;
      const left = waiting.filter(([pk, head]) => memory.table.heads.get(pk) === head).map(([pk]) => pk);
      if (left.length > 0) ledger.violate('16 a sweep wakes all', `it left ${left.join()}`);
    },
  };
}
