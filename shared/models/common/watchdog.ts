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
 *
 * It is armed again with each piece of a stream, so it does not begin its nap anew each time: when one is over, it sleeps for what is
 * left since it was armed last.
 */
export function watchdog(clock: Pick<Clock, 'now' | 'sleep'>, onQuiet: () => void): Watchdog {
  let armed = { at: 0, ms: 0 };
  /** Until when the nap lasts that is being taken. */
  let until = 0;
  let nap: AbortController | undefined;

  // A clock that is set back makes a call no quieter: nobody waits for longer than was said.
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

/** Node fires timers beyond this at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
