import type { Clock } from '../ports/ports.ts';

/**
 * The wall clock. The timer of `node:timers/promises` is not used: it makes an error, with its stack, for each sleep that is
 * stopped.
 */
export const wallClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const stop = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      signal?.addEventListener('abort', stop, { once: true });
    }),
};
