import { Worker } from 'node:worker_threads';
import { orMissing } from './missing.ts';

/** What runs in a thread of its own, so that whoever waits for it can go on, and can end it. */
export interface Threaded<Said, Result> {
  readonly code: URL;
  /** What it is given. */
  readonly job: unknown;
  /** Megabytes of its objects. */
  readonly memoryMb: number;
  /** Milliseconds until it is ended. */
  readonly ms: number;
  /** Ends it; rejects with its reason. */
  readonly signal: AbortSignal;
  /** The package that its code needs, and the entry of ours that needs it. */
  readonly needs: readonly [name: string, entry: string];
  /** Hears what it says. What is returned is what it has come to; undefined: it goes on. What is thrown rejects. */
  readonly hear: (said: Said, answer: (message: unknown) => void) => Result | undefined;
  /** What it has come to that has said nothing of it. What is thrown rejects. */
  readonly stopped: (how: 'time' | 'memory' | 'unknown') => Result;
}

/** It is over when it says so, when its time is, or when its thread is no more. */
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
