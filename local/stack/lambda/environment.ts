import { randomUUID } from 'node:crypto';
import type { Compute } from './compute.ts';
import type { ResponseSink, WorkerCall, WorkerStart } from './protocol.ts';
import { type Ended, startThread, type Thread } from './thread.ts';

/** One execution environment: threads with the function's code, for one invocation at a time or for many. */
export interface Environment {
  id: string;
  /** True until its first invocation ends. */
  cold: boolean;
  /** False once all its threads have ended or are ending. As on AWS, it continues with the threads that are left. */
  readonly alive: boolean;
  /** Resolves when one of its threads is ready, or all have ended. Never rejects. */
  readonly ready: Promise<unknown>;
  /** Invocations that have not ended. */
  readonly running: number;
  /** Most concurrent invocations. */
  readonly places: number;
  /** Runs one invocation in the least busy thread. Never rejects. */
  run(call: Omit<WorkerCall, 'deadline'>, timeoutMs: number, sink?: ResponseSink): Promise<Ended>;
  /** Ends all threads at once, as a crash of the machine would: every running invocation ends as `killed`. */
  kill(): Promise<void>;
}

/** The options of an environment. */
export interface EnvironmentOptions {
  start: WorkerStart;
  variables: Record<string, string>;
  compute: Compute;
  log(line: string): void;
  /** An invocation has left the environment, or one of its threads has ended. */
  freed(): void;
  /** Time in ms after which an environment that stands still is replaced. */
  stillMs?: number;
}

/** Lambda allows 10 s for code outside of the handler; on Managed Instances 130 s or more. */
const INIT_LIMIT_MS = { lambda: 10_000, managed: 130_000 } as const;

/**
 * Time in ms for which a thread of a shared environment may stand still. As on AWS (shared/aws/thread.ts), the whole environment
 * then ends, and its invocations with it.
 */
const STILL_MS = 60_000;

/** Starts an environment's threads. */
export function startEnvironment(options: EnvironmentOptions): Environment {
  const { start, variables, compute, log, freed, stillMs = STILL_MS } = options;
  const alone = compute.kind === 'lambda';
  const initLimitMs = INIT_LIMIT_MS[compute.kind];
  const still = (): void => {
    if (!environment.alive) return;
    log(`the environment has stood still for ${stillMs / 1000} s; it ends, and another is started`);
    void environment.kill();
  };
  const threads = Array.from({ length: alone ? 1 : compute.threads }, () =>
    startThread({ start, variables, alone, initLimitMs, log, freed, stillMs, still }),
  );
  const environment: Environment = {
    id: randomUUID().slice(0, 8),
    cold: true,
    places: alone ? 1 : compute.concurrency,
    ready: Promise.race(threads.map(({ ready }) => ready)),
    get alive() {
      return threads.some(({ alive }) => alive);
    },
    get running() {
      return threads.reduce((sum, { running }) => sum + running, 0);
    },
    async run(call, timeoutMs, sink) {
      const ended = await leastBusy(threads).run(call, timeoutMs, sink);
      environment.cold = false;
      return ended;
    },
    async kill() {
      await Promise.all(threads.map((thread) => thread.kill()));
    },
  };
  return environment;
}

function leastBusy(threads: readonly Thread[]): Thread {
  const living = threads.filter(({ alive }) => alive);
  // If no thread is left, any of them can report how it ended.
  return (living.length > 0 ? living : threads).reduce((least, thread) =>
    thread.running < least.running ? thread : least,
  );
}
