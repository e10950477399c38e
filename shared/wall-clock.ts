/**
 * The wall clock, a `Clock` of the ports. The timer of `node:timers/promises` is not used: it makes an error, with its stack, for each sleep that is
 * stopped.
 */
export const wallClock = {
  now: Date.now,
  sleep: (ms: number, signal?: AbortSignal): Promise<void> =>
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
