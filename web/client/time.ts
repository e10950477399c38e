/** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}

/** A random wait that doubles with each try, so that the clients of a restarting server do not all return at once. */
export const backoff = (tries: number, first: number, most: number): number =>
  Math.min(most, first * 2 ** tries) * (0.5 + Math.random() / 2);
