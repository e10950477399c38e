/**
 * Runs inside a worker thread of an execution environment. Loads the handler, then answers calls as they come. It may import only
 * Node's own modules, because it is passed to the thread as a text (see environment.ts).
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { createRequire, enableCompileCache, flushCompileCache, Module } from 'node:module';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type {
  FunctionError,
  ResponseHead,
  WorkerCall,
  WorkerPing,
  WorkerReport,
  WorkerStart,
} from './protocol.ts';

type Handler = (event: unknown, context: object) => unknown;
type StreamHandler = (event: unknown, stream: Writable, context: object) => unknown;
type Exports = Record<string, unknown> & { default?: Record<string, unknown> };

const start = workerData as WorkerStart;

process.setSourceMapsEnabled(true);

// Compiled code is cached in the system's temporary folder, which saves a quarter of every cold start but a bundle's first. It is
// flushed explicitly, because a terminated thread does not do it.
enableCompileCache();

/**
 * Data of an invocation about itself, as in the runtime's own store (@aws/lambda-invoke-store, which uses this one if it exists):
 * its keys are registered symbols.
 */
const invocations = new AsyncLocalStorage<Record<string | symbol, unknown>>();
const REQUEST_ID = Symbol.for('_AWS_LAMBDA_REQUEST_ID');
const X_RAY_TRACE_ID = Symbol.for('_AWS_LAMBDA_X_RAY_TRACE_ID');
const get = (key: string | symbol): unknown => invocations.getStore()?.[key];
const InvokeStore = {
  PROTECTED_KEYS: { REQUEST_ID, X_RAY_TRACE_ID },
  run: <T>(context: Record<string | symbol, unknown>, work: () => T): T => invocations.run(context, work),
  getContext: () => invocations.getStore(),
  hasContext: () => invocations.getStore() !== undefined,
  get,
  set(key: string | symbol, value: unknown): void {
    const store = invocations.getStore();
    if (!store) throw new Error('No context available');
    if (key === REQUEST_ID || key === X_RAY_TRACE_ID)
      throw new Error(`Cannot modify protected Lambda context field: ${String(key)}`);
    store[key] = value;
  },
  getRequestId: () => get(REQUEST_ID) ?? '-',
  getXRayTraceId: () => get(X_RAY_TRACE_ID),
  getTenantId: () => undefined,
};

/** The mark by which Lambda's Node.js runtime recognizes a streaming handler; its own decorator sets it. */
const STREAMS = Symbol.for('aws.lambda.runtime.handler.streaming');
/** The request of each stream. */
const requestOf = new WeakMap<Writable, string>();
Object.assign(globalThis, {
  awslambda: {
    InvokeStore,
    streamifyResponse: (handler: StreamHandler) => Object.assign(handler, { [STREAMS]: 'response' }),
    HttpResponseStream: {
      from(
        stream: Writable,
        { statusCode = 200, headers = {}, cookies = [] }: Partial<ResponseHead>,
      ): Writable {
        const requestId = requestOf.get(stream);
        if (requestId) report({ kind: 'head', requestId, head: { statusCode, headers, cookies } });
        return stream;
      },
    },
  },
});

load().then(
  (handler) => {
    parentPort?.on('message', (message: WorkerCall | WorkerPing) => {
      if ('kind' in message) report({ kind: 'here' });
      else void answer(handler, message);
    });
    report({ kind: 'ready' });
    flushCompileCache();
  },
  (error: unknown) => report({ kind: 'broken', error: toFunctionError(error) }),
);

async function load(): Promise<Handler> {
  const loaded = start.commonJs
    ? loadCommonJs(fileURLToPath(start.module))
    : ((await import(start.module)) as Exports);
  const handler = loaded[start.exportName] ?? loaded.default?.[start.exportName];
  if (typeof handler === 'function') return handler as Handler;
  const error = new Error(
    `${start.exportName} is not exported by the handler's module, or is not a function`,
  );
  error.name = 'Runtime.HandlerNotFound';
  throw error;
}

/**
 * Like require(), but without reading the module type from the package.json above. Load hooks cannot do it: the CommonJS loader
 * reads it again. `_compile` is undocumented, and has kept its shape since Node 0.x.
 */
function loadCommonJs(file: string): Exports {
  const module = new Module(file) as Module & { _compile(code: string, file: string): void };
  module.filename = file;
  module.paths = createRequire(file).resolve.paths('a-package') ?? [];
  module._compile(readFileSync(file, 'utf8'), file);
  return module.exports;
}

async function answer(handler: Handler, call: WorkerCall): Promise<void> {
  const { requestId } = call;
  try {
    const event: unknown = JSON.parse(call.event);
    const result = await invocations.run({ [REQUEST_ID]: requestId }, async () =>
      STREAMS in handler
        ? stream(handler as unknown as StreamHandler, event, call)
        : handler(event, contextOf(call)),
    );
    report({ kind: 'result', requestId, json: JSON.stringify(result) ?? 'null' });
  } catch (error) {
    report({ kind: 'failed', requestId, error: toFunctionError(error) });
  }
}

/** Ends when both the handler and the stream have ended. */
async function stream(handler: StreamHandler, event: unknown, call: WorkerCall): Promise<undefined> {
  const { requestId } = call;
  const out = new Writable({
    decodeStrings: true,
    write(bytes: Buffer, _encoding, done) {
      report({ kind: 'piece', requestId, bytes });
      done();
    },
  });
  requestOf.set(out, requestId);
  const finished = new Promise((resolve) => out.once('close', resolve));
  await handler(event, out, contextOf(call));
  await finished;
  return undefined;
}

function contextOf(call: WorkerCall): object {
  return {
    awsRequestId: call.requestId,
    functionName: start.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: start.functionArn,
    memoryLimitInMB: String(start.memoryMb),
    logGroupName: `/aws/lambda/${start.functionName}`,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, call.deadline - Date.now()),
  };
}

function report(message: WorkerReport): void {
  parentPort?.postMessage(message);
}

function toFunctionError(thrown: unknown): FunctionError {
  if (!(thrown instanceof Error))
    return { errorType: typeof thrown, errorMessage: String(thrown), stackTrace: [] };
  return {
    errorType: thrown.name,
    errorMessage: thrown.message,
    // The frames of this text itself are long and useless to a reader.
    stackTrace: (thrown.stack ?? '').split('\n').filter((line) => !line.includes('data:text/javascript')),
  };
}
