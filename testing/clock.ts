import type { Clock } from '../shared/agent/ports/ports.ts';

/** A clock that stands still until a test moves it. */
export interface VirtualClock extends Clock {
  /** Moves the time by `ms`, waking sleepers in order of their times and letting each run. */
  advance(ms: number): Promise<void>;
  /** Number of sleepers. */
  sleepers(): number;
}

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/** A virtual clock that starts at `start`, by default a round date in November 2026. */
export function virtualClock(start = Date.UTC(2026, 10, 22)): VirtualClock {
  let now = start;
  const sleepers = new Set<Sleeper>();

  const nextUntil = (end: number): Sleeper | undefined =>
    [...sleepers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];

  return {
    now: () => now,

    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const sleeper: Sleeper = { at: now + ms, wake };
        function wake(): void {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', wake);
          resolve();
        }
        sleepers.add(sleeper);
        signal?.addEventListener('abort', wake, { once: true });
      });
    },

    async advance(ms) {
      const end = now + ms;
      await settle();
      for (let next = nextUntil(end); next; next = nextUntil(end)) {
        now = Math.max(now, next.at);
        next.wake();
        await settle();
      }
      now = end;
      await settle();
    },

    sleepers: () => sleepers.size,
  };
}

/** Lets everything run that waits only for promises. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
