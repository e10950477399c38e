/**
 * Time in ms before a function's own deadline at which its request is answered, whatever it still waits for: a service
 * that hangs takes the SDK's tries to the end, one after the other, and the gateway waits no longer than the function.
 */
export const RESERVE_MS = 2_000;

/** The request has waited for a service until there was no time left. Named as middy names it, whose `answerInTime` ends others so. */
class OutOfTime extends Error {
  override name = 'TimeoutError';
}

/** Whether a request had waited until there was no time left: as with an outage, the same request may succeed later. */
export const isOutOfTime = (error: unknown): boolean =>
  error instanceof Error && error.name === 'TimeoutError';

/** Settles as `work` does, or rejects after `ms` with an error that {@link isOutOfTime}. */
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
