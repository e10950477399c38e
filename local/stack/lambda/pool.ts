import { availableParallelism } from 'node:os';
import type { Callers } from './callers.ts';
import type { Compute } from './compute.ts';
import { type Environment, startEnvironment } from './environment.ts';
import { createLine } from './line.ts';
import { workOfMachine } from './machine.ts';
import type { WorkerStart } from './protocol.ts';

/** The environments of one function. */
export interface Pool {
  /** Invocations that have not ended, as far as they count against the limit. */
  readonly running: number;
  /** How many invocations could begin at once. */
  readonly free: number;
  /**
   * Runs a function in an environment as soon as one has a place: the most recently used one, or a new one. Callers take turns, and
   * their calls are served in order of arrival. Undefined if the pool is stopped first.
   *
   * @param run calls `answers` when its answer begins: an open stream keeps its environment, but is no part of a flood
   * @param caller whose call it is, if the machine is to be shared among callers
   */
  use<Result>(
    run: (environment: Environment, answers: () => void) => Promise<Result>,
    caller?: string,
  ): Promise<Result | undefined>;
  /** Resolves when there may be a place that no call waits for, or when the pool is stopped. */
  room(): Promise<void>;
  /** Starts new environments with this from now on; see LambdaFunction.replaceCode. */
  replace(code: Code): Promise<void>;
  /** Ends at most `most` busy environments, the longest busy first; returns how many. */
  kill(most: number): number;
  /** Resolves when no invocation is running, or after `limitMs`, and every environment has ended. */
  stop(limitMs: number): Promise<void>;
}

/** The code that environments are started with. */
export interface Code {
  readonly start: WorkerStart;
  readonly variables: Record<string, string>;
  /** Resolved when other code has replaced it, and no invocation uses it any more. */
  readonly left: PromiseWithResolvers<void>;
}

/**
 * Most environments of a function that start in parallel. More than the number of cores would start no sooner, and by then an
 * earlier one may be idle again. Lambda starts any number, on as many machines.
 */
const BEGINNING = Math.max(2, availableParallelism());

/**
 * Beyond the number of cores, another environment is started only while less than this share of the machine is busy. On a busy
 * machine, one more makes nothing faster: it would need CPU and memory for its code, and a warm one serves the waiting call
 * sooner.
 */
const ENOUGH_WORK = 0.9;

/** It is started all the same if none has become idle for this long, in ms: all may be waiting for a model. */
const PATIENCE_MS = 1_000;

/** How often waiting calls check again whether another environment would help, in ms. */
const LOOK_AGAIN_MS = 50;

/** Our own choice; Lambda keeps idle environments for 5 to 15 minutes. Managed ones are never ended. */
const IDLE_LIMIT_MS = 5 * 60_000;

interface Member {
  readonly environment: Environment;
  readonly code: Code;
  /** Ends it after a long idle time. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * A pool without environments. On Lambda it has at most `most`, one for each invocation; with managed compute it has one, with a
 * thread for each vCPU.
 */
export function createPool(
  first: Code,
  compute: Compute,
  most: number,
  log: (line: string) => void,
  callers?: Callers,
): Pool {
  const managed = compute.kind === 'managed';
  const limit = managed ? compute.concurrency : most;
  let code = first;
  let stopped = false;
  /** Idle and busy members, each in the order in which they became so. */
  const idle = new Set<Member>();
  const busy = new Set<Member>();
  /**
   * Waiting calls, and waiters for room. Each end of an invocation serves as many from the front as it can; asking all of them
   * would cost more with every waiter.
   */
  const line = createLine(callers, () => serve());
  const waiting: (() => void)[] = [];
  let beginning = 0;
  let freedAt = 0;
  let looksAgain = false;

  const start = (): Member => {
    const member: Member = {
      environment: startEnvironment({ ...code, compute, log, freed: () => settle(member) }),
      code,
      timer: undefined,
    };
    beginning += 1;
    void member.environment.ready.then(() => {
      beginning -= 1;
      freedAt = performance.now();
      serve();
    });
    return member;
  };
  /** Moves a member to the right set after a change. */
  const settle = (member: Member): void => {
    const { environment } = member;
    if (environment.running === 0 && busy.delete(member)) {
      freedAt = performance.now();
      if (member.code !== code) retire(member);
      else if (environment.alive) keep(member);
    }
    if (!environment.alive) idle.delete(member);
    if (member.code !== code && !runs(member.code)) member.code.left.resolve();
    serve();
  };
  const keep = (member: Member): void => {
    if (!managed) member.timer = setTimeout(() => retire(member), IDLE_LIMIT_MS).unref();
    idle.add(member);
  };
  const retire = (member: Member): void => {
    clearTimeout(member.timer);
    idle.delete(member);
    void member.environment.kill();
  };
  const runs = (some: Code): boolean => [...busy].some((member) => member.code === some);
  /** New code on managed compute has an environment of its own from its first invocation on. */
  const counted = (): Member[] => [...busy].filter((member) => !managed || member.code === code);
  const running = (): number => counted().reduce((sum, { environment }) => sum + environment.running, 0);
  const free = (): number => {
    const left = Math.max(0, limit - running());
    return managed ? left : Math.min(left, idle.size + (helps() ? Math.max(0, BEGINNING - beginning) : 0));
  };
  /** Whether another environment would let a waiting call begin sooner. */
  const helps = (): boolean => {
    if (idle.size + busy.size < BEGINNING) return true;
    if (workOfMachine() < ENOUGH_WORK || performance.now() - freedAt > PATIENCE_MS) return true;
    if (!looksAgain) setTimeout(lookAgain, LOOK_AGAIN_MS).unref();
    looksAgain = true;
    return false;
  };
  const lookAgain = (): void => {
    looksAgain = false;
    serve();
  };
  const serve = (): void => {
    if (stopped) line.drain();
    while (line.length > 0 && free() > 0 && line.next());
    if (line.length === 0) for (const wake of waiting.splice(0)) wake();
  };
  const take = (): Environment => {
    const shared = [...busy].find((member) => managed && member.code === code && member.environment.alive);
    const member = shared ?? [...idle].filter(({ environment }) => environment.alive).at(-1) ?? start();
    clearTimeout(member.timer);
    idle.delete(member);
    busy.add(member);
    return member.environment;
  };

  return {
    get running() {
      return running();
    },
    get free() {
      return free();
    },
    use: (run, caller) =>
      new Promise((resolve, reject) => {
        const begin = () => {
          if (stopped) return resolve(undefined);
          let end = caller === undefined ? undefined : callers?.began(caller);
          const ended = () => {
            end?.();
            end = undefined;
            serve();
          };
          run(take(), ended).finally(ended).then(resolve, reject);
        };
        line.add(caller, begin);
        serve();
      }),
    async room() {
      while (free() === 0 && !stopped) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    replace(next) {
      const old = code;
      const wasWarm = idle.size + busy.size > 0;
      code = next;
      for (const member of [...idle]) retire(member);
      // If an environment was warm, start one now, so that the next invocation after the edit has no cold start.
      if (wasWarm && !stopped) keep(start());
      if (!runs(old)) old.left.resolve();
      return old.left.promise;
    },
    kill(number) {
      const victims = [...busy].slice(0, number);
      for (const { environment } of victims) void environment.kill();
      return victims.length;
    },
    async stop(limitMs) {
      stopped = true;
      serve();
      const deadline = Date.now() + limitMs;
      while (busy.size > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
      for (const member of idle) clearTimeout(member.timer);
      await Promise.all([...idle, ...busy].map(({ environment }) => environment.kill()));
    },
  };
}
