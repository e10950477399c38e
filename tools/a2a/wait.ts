import { Told } from './failures.ts';

/** Pauses in ms between two looks at a task: the first, and the longest. */
const FIRST_MS = 500;
const LONGEST_MS = 15_000;
/** Each pause is this much longer than the one before. */
const GROWTH = 1.5;

/**
 * The pauses of a wait. Their sum is its time, also where the clock of the step stands still.
 *
 * @param seconds time of all pauses
 */
export function* pauses(seconds: number): Generator<number> {
  let left = seconds * 1000;
  for (let ms = FIRST_MS; left > 0; ms = Math.min(ms * GROWTH, LONGEST_MS)) {
    const pause = Math.min(ms, left);
    left -= pause;
    yield pause;
  }
}

/** Rejects when the call is over. */
export const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new Told('was asked to stop, because the call is over.'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
