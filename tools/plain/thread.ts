import { Worker } from 'node:worker_threads';
import { orMissing } from './missing.ts';

/** A job in a thread of its own, so that its caller is not blocked, and can end it. */
export interface Threaded<Said, Result> {
  readonly code: URL;
  /** The thread's input. */
  readonly job: unknown;
  /** Megabytes of its objects. */
  readonly memoryMb: number;
  /** Milliseconds until it is ended. */
  readonly ms: number;
  /** Ends it; rejects with its reason. */
  readonly signal: AbortSignal;
  /** The package that its code needs, and the entry of ours that needs it. */
  readonly needs: readonly [name: string, entry: string];
  /** Handles its messages. A returned value is the result; undefined lets it continue. Throwing rejects. */
  readonly hear: (said: Said, answer: (message: unknown) => void) => Result | undefined;
  /** The result of a thread that ended without one. Throwing rejects. */
  readonly stopped: (how: 'time' | 'memory' | 'unknown') => Result;
}

/** Ends when the thread reports its result, when its time is over, or when the thread has died. */
export function inThread<Said, Result>({
  code,
  job,
  memoryMb,
  ms,
  signal,
  needs,
  hear,
  stopped,
}: Threaded<Said, Result>): Promise<Result> {
  signal.throwIfAborted();
  const worker = new Worker(code, {
    workerData: job,
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const settle = (come: () => Result | undefined) => {
    try {
      const result = come();
      if (result !== undefined) resolve(result);
    } catch (error) {
      reject(error);
    }
  };
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => settle(() => stopped('time')), ms);
  worker.on('message', (said: Said) => settle(() => hear(said, (message) => worker.postMessage(message))));
  worker.on('error', (error: NodeJS.ErrnoException) =>
    error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? settle(() => stopped('memory'))
      : reject(orMissing(error, ...needs)),
  );
  worker.on('exit', () => settle(() => stopped('unknown')));
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    return worker.terminate();
  });
}
