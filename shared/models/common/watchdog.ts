import type { Clock } from '../../agent/ports/ports.ts';

/** Fires once if it is not armed again in time. */
export interface Watchdog {
  /** Restarts the wait: `ms` from now. */
  arm(ms: number): void;
  stop(): void;
}

/**
 * Ends a call that is silent: neither the SDK's timeout nor the HTTP client's does so once the headers have come.
 *
 * Each piece of a stream arms it again, so it does not start a new timer each time: when a timer fires, it sleeps for
 * what is left since it was last armed.
 */
export function watchdog(clock: Pick<Clock, 'now' | 'sleep'>, onQuiet: () => void): Watchdog {
  let armed = { at: 0, ms: 0 };
  /** Until when the current timer sleeps. */
  let until = 0;
  let nap: AbortController | undefined;

  // If the clock is set back, the wait is still no longer than it was armed for.
  const left = () => Math.min(armed.ms, armed.at + armed.ms - clock.now());

  function sleep(ms: number): void {
    const mine = new AbortController();
    nap = mine;
    until = clock.now() + ms;
    void clock.sleep(ms, mine.signal).then(() => {
      if (mine.signal.aborted) return;
      const rest = left();
      if (rest > 0) return sleep(rest);
      stop();
      onQuiet();
    });
  }

  function stop(): void {
    nap?.abort('over');
    nap = undefined;
  }

  return {
    arm(ms) {
      armed = { at: clock.now(), ms: Math.min(ms, LONGEST_TIMER_MS) };
      if (nap && armed.at + armed.ms >= until) return;
      stop();
      sleep(armed.ms);
    },
    stop,
  };
}

/** Node fires longer timers at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
