import { randomUUID } from 'node:crypto';
import { type Environment, startEnvironment } from './environment.ts';
import { handlerModule } from './handler-module.ts';
import type { Outcome, ResponseSink, WorkerStart } from './protocol.ts';
import { type Endpoints, functionVariables } from './variables.ts';

/** A function as its template declares it. */
export interface FunctionSettings {
  /** Logical id in the template. */
  id: string;
  name: string;
  arn: string;
  /** Folder of the unpacked code that it starts with. */
  directory: string;
  handler: string;
  timeoutMs: number;
  memoryMb: number;
  variables: Record<string, string>;
  /** What it signs its calls with: who it is to the services. */
  accessKey: string;
  /** ReservedConcurrentExecutions: how many invocations may run at once; undefined = not limited by the template. */
  reserved: number | undefined;
}

/** What is told about each invocation. `outcome` is `ok` or why it failed; durationMs excludes initialization. */
export interface InvocationEvent {
  kind: 'start' | 'end';
  functionId: string;
  requestId: string;
  environmentId: string;
  cold: boolean;
  durationMs?: number;
  outcome?: 'ok' | 'error' | 'timeout' | 'killed';
}

/** A function that can be invoked. */
export interface LambdaFunction {
  settings: FunctionSettings;
  /**
   * Runs the handler with a JSON-serializable event. Never rejects. Over the reserved concurrency it waits its turn
   * when `whenFull` is `wait` (queues, schedules), and ends as `throttled` when it is `refuse` (synchronous callers).
   */
  invoke(event: unknown, whenFull: 'wait' | 'refuse', sink?: ResponseSink): Promise<Outcome>;
  /** Resolves when another invocation could start at once, or when the function is stopped. */
  room(): Promise<void>;
  /**
   * Takes the code in `directory` for every invocation from now on; one that is running ends on the code that it began
   * with. Where an environment was warm, one is started on the new code. Throws, and changes nothing, when the handler has no
   * module there. Resolves when the old code is left.
   */
  replaceCode(directory: string): Promise<void>;
  /** Ends busy environments as crashes would, `most` at the most, the longest busy first; returns how many. */
  kill(most?: number): number;
  /** Starts no more invocations; resolves when none is running, or after `limitMs`, and every environment has ended. */
  stop(limitMs: number): Promise<void>;
}

/** Who wants to know what a function does. */
export interface FunctionObserver {
  log(line: string): void;
  onInvocation(event: InvocationEvent): void;
}

/** Lambda's limit for a synchronous event or result: 6 MB. */
const PAYLOAD_LIMIT_BYTES = 6 * 1024 * 1024;

/** Our own bound, so that a burst cannot start hundreds of threads on a laptop; more invocations wait. */
const MOST_ENVIRONMENTS = 32;

/** Our own choice; Lambda keeps idle environments for 5 to 15 minutes. */
const IDLE_LIMIT_MS = 5 * 60_000;

/** Makes a function ready to be invoked. Throws when its handler has no module. Starts no environment yet. */
export function createFunction(
  settings: FunctionSettings,
  endpoints: Endpoints,
  observer: FunctionObserver,
): LambdaFunction {
  let code = codeIn(settings.directory, settings, endpoints);
  const limit = Math.min(settings.reserved ?? MOST_ENVIRONMENTS, MOST_ENVIRONMENTS);
  const idle = new Map<Environment, NodeJS.Timeout>();
  const busy = new Map<Environment, Code>();
  const waiting: (() => void)[] = [];
  let stopped = false;

  const acquire = (): Environment => {
    const warm = [...idle.keys()].filter((environment) => environment.alive).at(-1);
    const environment = warm ?? started();
    clearTimeout(idle.get(environment));
    idle.delete(environment);
    busy.set(environment, code);
    return environment;
  };
  const release = (environment: Environment): void => {
    const began = busy.get(environment);
    busy.delete(environment);
    if (began !== code) {
      retire(environment);
      if (began && !runs(began)) began.left.resolve();
    } else if (environment.alive) {
      keep(environment);
    }
    wakeAll();
  };
  const started = (): Environment => startEnvironment(code.start, code.variables, observer.log);
  const keep = (environment: Environment): void => {
    idle.set(environment, setTimeout(() => retire(environment), IDLE_LIMIT_MS).unref());
  };
  const retire = (environment: Environment): void => {
    clearTimeout(idle.get(environment));
    idle.delete(environment);
    void environment.kill();
  };
  const runs = (some: Code): boolean => [...busy.values()].includes(some);
  const full = (): boolean => busy.size >= limit && !stopped;
  const room = async (): Promise<void> => {
    while (full()) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const wakeAll = (): void => {
    for (const wake of waiting.splice(0)) wake();
  };

  return {
    settings,
    room,
    async invoke(event, whenFull, sink) {
      const json = JSON.stringify(event) ?? 'null';
      if (Buffer.byteLength(json) > PAYLOAD_LIMIT_BYTES) return { kind: 'tooLarge' };
      if (whenFull === 'refuse' && settings.reserved !== undefined && busy.size >= settings.reserved)
        return { kind: 'throttled' };
      // Asked again after each wait, because everyone who waits is woken at once.
      while (full()) await room();
      if (stopped) return { kind: 'throttled' };
      const environment = acquire();
      const outcome = await observed(environment, json, settings, observer, sink);
      release(environment);
      return outcome;
    },
    replaceCode(directory) {
      const old = code;
      const wasWarm = idle.size + busy.size > 0;
      code = codeIn(directory, settings, endpoints);
      for (const environment of [...idle.keys()]) retire(environment);
      // Where somebody waited for the edit, the next invocation does not wait for a cold start.
      if (wasWarm && !stopped) keep(started());
      if (!runs(old)) old.left.resolve();
      return old.left.promise;
    },
    kill(most = Number.POSITIVE_INFINITY) {
      const victims = [...busy.keys()].slice(0, most);
      for (const environment of victims) void environment.kill();
      return victims.length;
    },
    async stop(limitMs) {
      stopped = true;
      wakeAll();
      const deadline = Date.now() + limitMs;
      while (busy.size > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
      for (const timer of idle.values()) clearTimeout(timer);
      await Promise.all([...idle.keys(), ...busy.keys()].map((environment) => environment.kill()));
    },
  };
}

/** What environments are started with. */
interface Code {
  readonly start: WorkerStart;
  readonly variables: Record<string, string>;
  /** Resolved when other code has taken its place, and nothing runs on it any more. */
  readonly left: PromiseWithResolvers<void>;
}

function codeIn(directory: string, settings: FunctionSettings, endpoints: Endpoints): Code {
  const { handler, name, arn, memoryMb } = settings;
  return {
    start: { ...handlerModule(directory, handler), functionName: name, functionArn: arn, memoryMb },
    variables: functionVariables({ ...settings, directory }, endpoints),
    left: Promise.withResolvers(),
  };
}

async function observed(
  environment: Environment,
  event: string,
  settings: FunctionSettings,
  observer: FunctionObserver,
  sink: ResponseSink | undefined,
): Promise<Outcome> {
  const requestId = randomUUID();
  const about = { functionId: settings.id, requestId, environmentId: environment.id, cold: environment.cold };
  observer.onInvocation({ kind: 'start', ...about });
  const broken = await environment.ready;
  const startedAt = performance.now();
  const outcome = broken ?? limited(await environment.run({ requestId, event }, settings.timeoutMs, sink));
  const kind = outcome.kind === 'throttled' || outcome.kind === 'tooLarge' ? 'error' : outcome.kind;
  if ('error' in outcome) {
    const { errorType, errorMessage, stackTrace } = outcome.error;
    observer.log(
      `invocation ${requestId} ended as ${kind}: ${stackTrace.length > 0 ? stackTrace.join('\n') : `${errorType}: ${errorMessage}`}`,
    );
  }
  observer.onInvocation({ kind: 'end', ...about, durationMs: performance.now() - startedAt, outcome: kind });
  return outcome;
}

function limited(outcome: Outcome): Outcome {
  if (outcome.kind !== 'ok' || Buffer.byteLength(outcome.result) <= PAYLOAD_LIMIT_BYTES) return outcome;
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${PAYLOAD_LIMIT_BYTES} bytes).`;
  return {
    kind: 'error',
    error: { errorType: 'Function.ResponseSizeTooLarge', errorMessage, stackTrace: [] },
  };
}
