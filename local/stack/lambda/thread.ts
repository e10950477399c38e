import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import type {
  FunctionError,
  Outcome,
  ResponseSink,
  WorkerCall,
  WorkerPing,
  WorkerReport,
  WorkerStart,
} from './protocol.ts';

/** A worker thread with the function's code. */
export interface Thread {
  /** False once it has ended or is ending. */
  alive: boolean;
  /** Resolves when its handler is loaded, or when it has ended. Never rejects. */
  readonly ready: Promise<unknown>;
  /** Its invocations: those that wait for its initialization, and those that have not ended. */
  readonly running: number;
  /**
   * Runs one invocation once the thread is ready, and measures its duration from there. Never rejects. If the invocation is alone
   * (`alone`), a timeout ends the thread. Otherwise it is notified of the timeout and its code continues, as on Lambda Managed
   * Instances.
   */
  run(call: Omit<WorkerCall, 'deadline'>, timeoutMs: number, sink?: ResponseSink): Promise<Ended>;
  /** Ends the thread at once, as a crash of the machine would: running invocations end as `killed`. */
  kill(): Promise<void>;
}

/** How an invocation ended, and in how many milliseconds, without the thread's initialization. */
export interface Ended {
  outcome: Outcome;
  durationMs: number;
}

/** The options of a thread. */
export interface ThreadOptions {
  start: WorkerStart;
  variables: Record<string, string>;
  /** Never more than one invocation at a time. */
  alone: boolean;
  /** Time limit in milliseconds for code outside of the handler. If an invocation waits for it alone, its timeout is added. */
  initLimitMs: number;
  /** Receives each line that the function writes. */
  log(line: string): void;
  /** An invocation has left the thread, or the thread has ended. */
  freed(): void;
  /**
   * Time in ms without an answer after which the thread stands still. A thread that is shared is asked; the timeout of its
   * invocation ends one that is not.
   */
  stillMs?: number;
  /** The thread stands still: code in it does not end, and nothing else can run. */
  still?(): void;
}

interface Call {
  settle(outcome: Outcome): void;
  sink: ResponseSink | undefined;
  timeoutMs: number;
}

/**
 * Limits of a thread's heap: the memory of its function, with a small part for young objects. By default V8 collects young objects
 * only above 48 MB, in each of about a hundred threads.
 */
const limitsOf = (memoryMb: number) => ({
  maxOldGenerationSizeMb: memoryMb,
  maxYoungGenerationSizeMb: YOUNG_MB,
});
const YOUNG_MB = 12;

/** How often a thread is asked in the time for which it may stand still. */
const ROUNDS = 10;

/** Starts a thread. */
export function startThread(options: ThreadOptions): Thread {
  const { start, variables, alone, initLimitMs, log, freed, stillMs = Number.POSITIVE_INFINITY } = options;
  const worker = new Worker(workerSource(), {
    workerData: start,
    env: variables,
    execArgv: [],
    resourceLimits: limitsOf(start.memoryMb),
    stdout: true,
    stderr: true,
    name: start.functionName,
  });
  const initialized = Promise.withResolvers<Outcome | undefined>();
  const calls = new Map<string, Call>();
  const thread: Thread = {
    alive: true,
    ready: initialized.promise,
    get running() {
      return calls.size;
    },
    async run(call, timeoutMs, sink) {
      const { requestId } = call;
      const settled = Promise.withResolvers<Outcome>();
      calls.set(requestId, { settle: settled.resolve, sink, timeoutMs });
      const broken = await initialized.promise;
      const startedAt = performance.now();
      if (broken || !thread.alive) {
        left(requestId, broken ?? { kind: 'killed', error: exited(requestId) });
        return { outcome: await settled.promise, durationMs: 0 };
      }
      const timer = setTimeout(() => {
        const outcome: Outcome = { kind: 'timeout', error: timedOut(requestId, timeoutMs) };
        if (alone) void end(() => outcome);
        else settled.resolve(outcome);
      }, timeoutMs);
      worker.postMessage({ ...call, deadline: Date.now() + timeoutMs } satisfies WorkerCall);
      const outcome = await settled.promise;
      clearTimeout(timer);
      return { outcome, durationMs: performance.now() - startedAt };
    },
    kill: () => end((requestId) => ({ kind: 'killed', error: exited(requestId) })),
  };

  const left = (requestId: string, outcome: Outcome): void => {
    const call = calls.get(requestId);
    if (!calls.delete(requestId)) return;
    call?.settle(outcome);
    freed();
  };
  const end = async (how: (requestId: string) => Outcome): Promise<void> => {
    thread.alive = false;
    clearTimeout(initTimer);
    clearInterval(asking);
    initialized.resolve(how('none'));
    for (const requestId of [...calls.keys()]) left(requestId, how(requestId));
    freed();
    await worker.terminate();
  };
  const initTooLong = (limitMs: number): void => {
    const what = error('Sandbox.Timedout', `the function did not initialize in ${limitMs / 1000} seconds`);
    void end(() => ({ kind: 'timeout', error: what }));
  };
  // Lambda begins it again with the invocation, and it then has the function's timeout.
  let initTimer = setTimeout(() => {
    const moreMs = alone ? Math.max(0, ...[...calls.values()].map(({ timeoutMs }) => timeoutMs)) : 0;
    if (moreMs === 0) return initTooLong(initLimitMs);
    initTimer = setTimeout(() => initTooLong(initLimitMs + moreMs), moreMs);
  }, initLimitMs);

  /** Counted in rounds: a machine that was suspended has no answer either, and no thread of it stands still. */
  let unanswered = 0;
  let asking: NodeJS.Timeout | undefined;
  const ask = (): void => {
    if (unanswered >= ROUNDS) {
      options.still?.();
      return;
    }
    unanswered += 1;
    worker.postMessage({ kind: 'ping' } satisfies WorkerPing);
  };
  worker.on('message', (message: WorkerReport) => {
    unanswered = 0;
    switch (message.kind) {
      case 'ready':
        clearTimeout(initTimer);
        if (!alone && stillMs !== Number.POSITIVE_INFINITY)
          asking = setInterval(ask, stillMs / ROUNDS).unref();
        return initialized.resolve(undefined);
      case 'here':
        return;
      case 'broken':
        return void end(() => ({ kind: 'error', error: message.error }));
      case 'head':
        return calls.get(message.requestId)?.sink?.head(message.head);
      case 'piece':
        return calls.get(message.requestId)?.sink?.piece(message.bytes);
      case 'result':
        return left(message.requestId, { kind: 'ok', result: message.json });
      case 'failed':
        return left(message.requestId, { kind: 'error', error: message.error });
    }
  });
  // An uncaught exception ends the thread, as it ends Lambda's process.
  worker.on('error', (thrown: Error) => {
    const what = error(thrown.name, thrown.message, thrown.stack);
    void end(() => ({ kind: 'error', error: what }));
  });
  worker.on('exit', () => void thread.kill());
  for (const stream of [worker.stdout, worker.stderr]) createInterface({ input: stream }).on('line', log);
  return thread;
}

let source: URL | undefined;

/**
 * The worker's code: as it was installed, or the source with its types stripped once, as a data: URL. Pointing threads at the .ts
 * file would make each of them load the type stripper, which adds 30 ms to every cold start.
 */
function workerSource(): URL {
  if (!import.meta.url.endsWith('.ts')) return new URL('./worker.js', import.meta.url);
  source ??= new URL(
    `data:text/javascript,${encodeURIComponent(strippedQuietly(new URL('./worker.ts', import.meta.url)))}`,
  );
  return source;
}

/** Node warns that the stripping function is experimental. Without this, the warning would be the first line that a user reads. */
function strippedQuietly(path: URL): string {
  const warn = process.emitWarning;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(readFileSync(path, 'utf8'));
  } finally {
    process.emitWarning = warn;
  }
}

function timedOut(requestId: string, timeoutMs: number): FunctionError {
  return error(
    'Sandbox.Timedout',
    `RequestId: ${requestId} Error: Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`,
  );
}

function exited(requestId: string): FunctionError {
  return error(
    'Runtime.ExitError',
    `RequestId: ${requestId} Error: Runtime exited without providing a reason`,
  );
}

function error(errorType: string, errorMessage: string, stack = ''): FunctionError {
  return { errorType, errorMessage, stackTrace: stack === '' ? [] : stack.split('\n') };
}
