import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import type {
  FunctionError,
  Outcome,
  ResponseSink,
  WorkerCall,
  WorkerReport,
  WorkerStart,
} from './protocol.ts';

/** One execution environment: a worker thread with the function's code, for one invocation at a time. */
export interface Environment {
  id: string;
  /** True until its first invocation ends. */
  cold: boolean;
  /** False once the thread is gone or going. */
  alive: boolean;
  /** Resolves with how its initialization failed, or undefined when it is ready. Never rejects. */
  ready: Promise<Outcome | undefined>;
  /** Runs one invocation, and ends the thread when `timeoutMs` is over. Never rejects. */
  run(call: Omit<WorkerCall, 'deadline'>, timeoutMs: number, sink?: ResponseSink): Promise<Outcome>;
  /** Ends the thread at once, as a crash of the machine would: an invocation under way ends as `killed`. */
  kill(): Promise<void>;
}

/** Lambda allows 10 s for what runs outside of the handler. */
const INIT_LIMIT_MS = 10_000;

/** Starts a thread. `log` gets each line that the function writes. */
export function startEnvironment(
  start: WorkerStart,
  variables: Record<string, string>,
  log: (line: string) => void,
): Environment {
  const worker = new Worker(workerSource(), {
    workerData: start,
    env: variables,
    execArgv: [],
    stdout: true,
    stderr: true,
    name: start.functionName,
  });
  const initialized = Promise.withResolvers<Outcome | undefined>();
  let settle: ((outcome: Outcome) => void) | undefined;
  let requestId = 'none';
  let taker: ResponseSink | undefined;
  const environment: Environment = {
    id: randomUUID().slice(0, 8),
    cold: true,
    alive: true,
    ready: initialized.promise,
    run: (call, timeoutMs, sink) =>
      new Promise((resolve) => {
        taker = sink;
        requestId = call.requestId;
        const timer = setTimeout(
          () => void end({ kind: 'timeout', error: timedOut(requestId, timeoutMs) }),
          timeoutMs,
        );
        settle = (outcome) => {
          clearTimeout(timer);
          settle = undefined;
          environment.cold = false;
          resolve(outcome);
        };
        if (!environment.alive) return settle({ kind: 'killed', error: exited(requestId) });
        worker.postMessage({ ...call, deadline: Date.now() + timeoutMs } satisfies WorkerCall);
      }),
    kill: () => end({ kind: 'killed', error: exited(requestId) }),
  };

  const end = async (outcome: Outcome): Promise<void> => {
    environment.alive = false;
    clearTimeout(initTimer);
    settle?.(outcome);
    initialized.resolve(outcome);
    await worker.terminate();
  };
  const initTimer = setTimeout(
    () =>
      void end({
        kind: 'timeout',
        error: error('Sandbox.Timedout', 'the function did not initialize in 10 seconds'),
      }),
    INIT_LIMIT_MS,
  );

  worker.on('message', (message: WorkerReport) => {
    switch (message.kind) {
      case 'ready':
        clearTimeout(initTimer);
        return initialized.resolve(undefined);
      case 'broken':
        return void end({ kind: 'error', error: message.error });
      case 'head':
        return taker?.head(message.head);
      case 'piece':
        return taker?.piece(message.bytes);
      case 'result':
        return settle?.({ kind: 'ok', result: message.json });
      case 'failed':
        return settle?.({ kind: 'error', error: message.error });
    }
  });
  // An exception nobody caught ends the thread, as it ends Lambda's process.
  worker.on(
    'error',
    (thrown: Error) => void end({ kind: 'error', error: error(thrown.name, thrown.message, thrown.stack) }),
  );
  worker.on('exit', () => void end({ kind: 'killed', error: exited(requestId) }));
  for (const stream of [worker.stdout, worker.stderr]) createInterface({ input: stream }).on('line', log);
  return environment;
}

let source: URL | undefined;

/**
 * The worker's code: as it was installed, or that of the sources with its types stripped once, as a data: URL. Pointing
 * threads at the .ts file would make each of them load the type stripper, which adds 30 ms to every cold start.
 */
function workerSource(): URL {
  if (!import.meta.url.endsWith('.ts')) return new URL('./worker.js', import.meta.url);
  source ??= new URL(
    `data:text/javascript,${encodeURIComponent(strippedQuietly(new URL('./worker.ts', import.meta.url)))}`,
  );
  return source;
}

/** Node warns that the stripping function is experimental, which would be the first thing a user of ours reads. */
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
