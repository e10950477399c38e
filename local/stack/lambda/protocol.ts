/** The messages between the stack and a function's worker thread. Events and results travel as JSON texts. */

/** How Lambda reports a failed invocation. */
export interface FunctionError {
  errorType: string;
  errorMessage: string;
  stackTrace: string[];
}

/** Given to the worker when it starts. */
export interface WorkerStart {
  /** file:// URL of the handler's module. */
  module: string;
  /** Name of the exported handler. */
  exportName: string;
  /** Load a `.js` file as CommonJS although a package.json above the asset says otherwise. */
  commonJs: boolean;
  functionName: string;
  functionArn: string;
  memoryMb: number;
}

/** Asks a thread whether it still takes messages; it answers `here`. */
export interface WorkerPing {
  kind: 'ping';
}

/** One invocation. */
export interface WorkerCall {
  requestId: string;
  event: string;
  /** Milliseconds since 1970 at which the environment will be killed. */
  deadline: number;
}

/** Status and headers of a streamed HTTP response. */
export interface ResponseHead {
  statusCode: number;
  headers: Record<string, string>;
  cookies: string[];
}

/** Receives a streamed response. Must not throw. */
export interface ResponseSink {
  head(head: ResponseHead): void;
  piece(bytes: Uint8Array): void;
}

/** Reports of the worker. `ready` or `broken` come once, the others answer a running call. */
export type WorkerReport =
  | { kind: 'ready' }
  /** The answer to a ping. */
  | { kind: 'here' }
  | { kind: 'broken'; error: FunctionError }
  /** The beginning of a streamed response; its pieces follow, and an empty result. */
  | { kind: 'head'; requestId: string; head: ResponseHead }
  | { kind: 'piece'; requestId: string; bytes: Uint8Array }
  | { kind: 'result'; requestId: string; json: string }
  | { kind: 'failed'; requestId: string; error: FunctionError };

/** How an invocation ended. `result` is JSON. */
export type Outcome =
  | { kind: 'ok'; result: string }
  | { kind: 'error' | 'timeout' | 'killed'; error: FunctionError }
  | { kind: 'throttled' }
  | { kind: 'tooLarge' };
