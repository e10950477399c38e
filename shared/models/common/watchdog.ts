import type { Clock } from '../../agent/ports.ts';

/** Tells once when it was not armed again in time. */
export interface Watchdog {
  /** Starts to wait, anew: `ms` from now. */
  arm(ms: number): void;
  stop(): void;
}

/**
 * Ends a call that says nothing: neither the SDK's timeout nor the HTTP client's does so once the headers
 * have come.
 */
export function watchdog(clock: Pick<Clock, 'sleep'>, onQuiet: () => void): Watchdog {
  let nap = new AbortController();
  return {
    arm(ms) {
      nap.abort();
      nap = new AbortController();
      const { signal } = nap;
      void clock.sleep(Math.min(ms, LONGEST_TIMER_MS), signal).then(() => {
        if (!signal.aborted) onQuiet();
      });
    },
    stop: () => nap.abort(),
  };
}

/** Node fires timers beyond this at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
