/**
 * Time in ms before the function's deadline at which a request is answered, whatever it still waits for. A service that hangs
 * uses up all tries of the SDK, and the gateway waits no longer than the function.
 */
export const RESERVE_MS = 2_000;

/**
 * The request waited for a service until no time was left. It has the name that middy gives such errors, because middy's
 * `answerInTime` ends other requests the same way.
 */
class OutOfTime extends Error {
  override name = 'TimeoutError';
}

/** Whether a request ran out of time. As after an outage, the same request may succeed later. */
export const isOutOfTime = (error: unknown): boolean =>
  error instanceof Error && error.name === 'TimeoutError';

/** Settles as `work` does, or rejects after `ms` with an error for which {@link isOutOfTime} is true. */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new OutOfTime('no time is left to answer')), Math.max(0, ms));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
