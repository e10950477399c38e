import { randomUUID } from 'node:crypto';
import type { Callers } from './callers.ts';
import type { Compute } from './compute.ts';
import type { Environment } from './environment.ts';
import { handlerModule } from './handler-module.ts';
import { type Code, createPool } from './pool.ts';
import type { Outcome, ResponseSink } from './protocol.ts';
import { type Endpoints, functionVariables } from './variables.ts';

/** A function as its template declares it. */
export interface FunctionSettings {
  /** Logical id in the template. */
  id: string;
  name: string;
  arn: string;
  /** Folder of its initial unpacked code. */
  directory: string;
  handler: string;
  timeoutMs: number;
  memoryMb: number;
  variables: Record<string, string>;
  /** The key that signs its calls: its identity to the services. */
  accessKey: string;
  compute: Compute;
  /** ReservedConcurrentExecutions: how many invocations may run at once; undefined = not limited by the template. */
  reserved: number | undefined;
}

/** Reported about each invocation. `outcome` is `ok` or the failure; durationMs excludes initialization. */
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
   * Runs the handler with a JSON-serializable event. Never rejects. Over the reserved concurrency, or over the limit of a managed
   * environment, the call waits if `whenFull` is `wait` (queues, schedules), and ends as `throttled` if it is `refuse`
   * (synchronous callers). Calls that name their `caller` share the machine with other callers' (callers.ts).
   */
  invoke(
    event: unknown,
    whenFull: 'wait' | 'refuse',
    more?: { readonly sink?: ResponseSink; readonly caller?: string | undefined },
  ): Promise<Outcome>;
  /** How many invocations could start at once. */
  free(): number;
  /** Resolves when another invocation could start at once, or when the function is stopped. */
  room(): Promise<void>;
  /**
   * Uses the code in `directory` for every invocation from now on; a running invocation ends on the code that it began with. If
   * an environment was warm, one is started on the new code. Throws and changes nothing if the handler has no module there.
   * Resolves when the old code is not used any more.
   */
  replaceCode(directory: string): Promise<void>;
  /** Ends at most `most` busy environments as crashes would, the longest busy first; returns how many. */
  kill(most?: number): number;
  /** Starts no more invocations; resolves when none is running, or after `limitMs`, and every environment has ended. */
  stop(limitMs: number): Promise<void>;
}

/** Receives the output and the invocations of a function. */
export interface FunctionObserver {
  log(line: string): void;
  onInvocation(event: InvocationEvent): void;
}

/** Lambda's limit for a synchronous event or result: 6 MB. */
const PAYLOAD_LIMIT_BYTES = 6 * 1024 * 1024;

/** Our own limit, so that a burst cannot start hundreds of threads on a laptop; more invocations wait. */
const MOST_ENVIRONMENTS = 32;

/** Prepares a function. Throws if its handler has no module. Starts no environment yet. */
export function createFunction(
  settings: FunctionSettings,
  endpoints: Endpoints,
  observer: FunctionObserver,
  callers?: Callers,
): LambdaFunction {
  const { compute, reserved, timeoutMs } = settings;
  const pool = createPool(
    codeIn(settings.directory, settings, endpoints),
    compute,
    Math.min(reserved ?? MOST_ENVIRONMENTS, MOST_ENVIRONMENTS),
    observer.log,
    callers,
  );
  /** The number of invocations at which Lambda refuses one more. */
  const refusedAt = compute.kind === 'managed' ? compute.concurrency : reserved;
  let stopped = false;
  /** Invocations without a caller that wait for an environment. Those of callers wait for their turn, which is no use of a place. */
  let waiting = 0;

  return {
    settings,
    free: () => (stopped ? 0 : pool.free),
    room: () => pool.room(),
    async invoke(event, whenFull, { sink, caller } = {}) {
      const json = JSON.stringify(event) ?? 'null';
      if (Buffer.byteLength(json) > PAYLOAD_LIMIT_BYTES) return { kind: 'tooLarge' };
      if (whenFull === 'refuse' && refusedAt !== undefined && pool.running + waiting >= refusedAt)
        return { kind: 'throttled' };
      if (caller === undefined) waiting += 1;
      const outcome = await pool.use((environment, answers) => {
        if (caller === undefined) waiting -= 1;
        const told = sink && telling(sink, answers);
        return observed(environment, json, { id: settings.id, timeoutMs }, observer, told);
      }, caller);
      return outcome ?? { kind: 'throttled' };
    },
    replaceCode: (directory) => pool.replace(codeIn(directory, settings, endpoints)),
    kill: (most = Number.POSITIVE_INFINITY) => pool.kill(most),
    async stop(limitMs) {
      stopped = true;
      await pool.stop(limitMs);
    },
  };
}

/** The sink, and what to do when its answer begins. */
const telling = (sink: ResponseSink, begins: () => void): ResponseSink => ({
  ...sink,
  head(head) {
    begins();
    sink.head(head);
  },
});

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
  { id, timeoutMs }: Pick<FunctionSettings, 'id' | 'timeoutMs'>,
  observer: FunctionObserver,
  sink: ResponseSink | undefined,
): Promise<Outcome> {
  const requestId = randomUUID();
  const about = { functionId: id, requestId, environmentId: environment.id, cold: environment.cold };
  observer.onInvocation({ kind: 'start', ...about });
  const ended = await environment.run({ requestId, event }, timeoutMs, sink);
  const { durationMs } = ended;
  const outcome = limited(ended.outcome);
  const kind = outcome.kind === 'throttled' || outcome.kind === 'tooLarge' ? 'error' : outcome.kind;
  if ('error' in outcome) {
    const { errorType, errorMessage, stackTrace } = outcome.error;
    observer.log(
      `invocation ${requestId} ended as ${kind}: ${stackTrace.length > 0 ? stackTrace.join('\n') : `${errorType}: ${errorMessage}`}`,
    );
  }
  observer.onInvocation({ kind: 'end', ...about, durationMs, outcome: kind });
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
