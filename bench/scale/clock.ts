import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../shared/agent/ports/ports.ts';

/** A clock for very many sleepers: time advances by itself, as fast as the work of each moment is done. */
export interface RunningClock extends Clock {
  /** Advances time until the condition holds. Rejects if no sleeper is left. */
  runUntil(isOver: () => boolean): Promise<void>;
}

/** Sleeps end at multiples of this many ms: sleepers within it wake together, which is less work. */
const GRAIN_MS = 10;

/** @param start in epoch ms, by default a round moment in November 2026 */
export function runningClock(start = Date.UTC(2026, 10, 22)): RunningClock {
  let now = start;
  /** Moments in order, and the sleepers of each. */
  const moments: number[] = [];
  const sleepers = new Map<number, (() => void)[]>();

  const add = (at: number, wake: () => void): void => {
    const together = sleepers.get(at);
    if (together) return void together.push(wake);
    sleepers.set(at, [wake]);
    up(moments, at);
  };

  return {
    now: () => now,

    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        signal?.addEventListener('abort', wake, { once: true });
        add(Math.ceil((now + Math.max(1, ms)) / GRAIN_MS) * GRAIN_MS, wake);
      });
    },

    async runUntil(isOver) {
      await turn();
      while (!isOver()) {
        const at = down(moments);
        if (at === undefined) throw new Error('no sleeper is left, and the condition does not hold');
        now = at;
        for (const wake of sleepers.get(at) ?? []) wake();
        sleepers.delete(at);
        await turn();
      }
    },
  };
}

/** Adds a number to a min-heap. */
function up(heap: number[], value: number): void {
  let at = heap.push(value) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if ((heap[parent] ?? 0) <= value) break;
    heap[at] = heap[parent] ?? 0;
    at = parent;
  }
  heap[at] = value;
}

/** Removes the smallest number. */
function down(heap: number[]): number | undefined {
  const [least] = heap;
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return least;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    const child = (heap[left + 1] ?? Number.POSITIVE_INFINITY) < (heap[left] ?? 0) ? left + 1 : left;
    if (left >= heap.length || (heap[child] ?? 0) >= last) break;
    heap[at] = heap[child] ?? 0;
    at = child;
  }
  heap[at] = last;
  return least;
}
