import { randomUUID } from 'node:crypto';
import type {
  createFunction,
  FunctionObserver,
  FunctionSettings,
  LambdaFunction,
} from '../../../local/stack/lambda/function.ts';
import type {
  FunctionError,
  Outcome,
  ResponseHead,
  ResponseSink,
} from '../../../local/stack/lambda/protocol.ts';
import type { Endpoints } from '../../../local/stack/lambda/variables.ts';
import { type RealEnvironment, type RealRuntime, startEnvironment } from './emulator.ts';

/** Runs the functions of the embedded stack in AWS's own runtime, each in one environment with one invocation at a time. */
export const inRealRuntime =
  (runtime: RealRuntime): typeof createFunction =>
  (settings, endpoints, observer) =>
    realFunction(runtime, { settings, endpoints, observer });

interface Options {
  readonly settings: FunctionSettings;
  readonly endpoints: Endpoints;
  readonly observer: FunctionObserver;
}

function realFunction(runtime: RealRuntime, { settings, endpoints, observer }: Options): LambdaFunction {
  const environment: Promise<RealEnvironment> = startEnvironment(runtime, settings, endpoints, observer.log);
  let cold = true;
  let running: Promise<unknown> = environment;
  const unsupported = (what: string) => () => {
    throw new Error(`${what} is not possible in this runtime`);
  };

  async function run(json: string, sink: ResponseSink | undefined): Promise<Outcome> {
    const isCold = cold;
    cold = false;
    const about = { functionId: settings.id, requestId: randomUUID(), environmentId: 'real', cold: isCold };
    observer.onInvocation({ kind: 'start', ...about });
    const startedAt = performance.now();
    const answer = await (await environment).invoke(json);
    const durationMs = performance.now() - startedAt;
    const outcome = outcomeOf(answer, sink);
    const ended = outcome.kind === 'ok' ? 'ok' : 'error';
    observer.onInvocation({ kind: 'end', ...about, durationMs, outcome: ended });
    return outcome;
  }

  return {
    settings,
    free: () => 1,
    room: () => running.then(() => undefined),
    invoke(event, _whenFull, { sink } = {}) {
      const outcome = running.then(() => run(JSON.stringify(event) ?? 'null', sink));
      running = outcome.catch(() => undefined);
      return outcome;
    },
    replaceCode: unsupported('replacing code'),
    kill: unsupported('killing'),
    async stop() {
      await (await environment).program.stop();
    },
  };
}

/** Ends the head of a streamed response: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html */
const END_OF_HEAD = Buffer.alloc(8);

function outcomeOf(answer: Buffer, sink: ResponseSink | undefined): Outcome {
  const text = answer.toString();
  // The emulator's own words for a timeout.
  if (/Task timed out after [\d.]+ seconds/.test(text)) return { kind: 'timeout', error: errorOf(text) };
  const at = answer.indexOf(END_OF_HEAD);
  if (sink && at >= 0) {
    const { headers = {}, cookies = [], ...head } = JSON.parse(answer.subarray(0, at).toString());
    sink.head({ ...head, headers, cookies } as ResponseHead);
    sink.piece(answer.subarray(at + END_OF_HEAD.length));
    return { kind: 'ok', result: '' };
  }
  const parsed: unknown = text === '' ? null : JSON.parse(text);
  if (typeof parsed === 'object' && parsed !== null && 'errorType' in parsed)
    return { kind: 'error', error: { stackTrace: [], errorMessage: '', ...parsed } as FunctionError };
  return { kind: 'ok', result: text === '' ? 'null' : text };
}

const errorOf = (errorMessage: string): FunctionError => ({
  errorType: 'Sandbox.Timedout',
  errorMessage,
  stackTrace: [],
});
