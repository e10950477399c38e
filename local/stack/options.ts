/** The options of a stack, and the interface of a running one. */
import type { createFunction, InvocationEvent } from './lambda/function.ts';
import type { Endpoints } from './lambda/variables.ts';
import type { Variables } from './template/variables.ts';
import type { Wire } from './wire.ts';

/** How to run a stack. */
export interface StackOptions {
  /** The cloud assembly: a folder with manifest.json, templates and assets, usually `cdk.out`. */
  assembly: string;
  /** The stack's name, needed if the assembly has several. */
  stack?: string;
  /** Folder for everything that must outlive this run. Absent = all state in memory. */
  data?: string;
  /** Port of the HTTP API; a WebSocket API listens on the next one, a function URL on the one after. 0 or absent = any free ports. */
  port?: number;
  /** The ports that an earlier run of the same stack reported, so that addresses stay the same. */
  ports?: Ports;
  /** Values for template parameters. */
  parameters?: Record<string, string>;
  /**
   * Environment variables by name. Each replaces the template's value in every function that has a variable of that name. A
   * function computes the new value from the template's.
   */
  variables?: Variables;
  /** Receives the functions' output and the stack's notices, line by line, each prefixed by `[function]` or `[stack]`. */
  log?: (line: string) => void;
  /** Notified of the start and end of every invocation. Must not throw. */
  onInvocation?: (event: InvocationEvent) => void;
  /** Called when every resource exists and before any work: no message is received, no schedule fires, no request is answered. */
  beforeWork?: (stack: Pick<RunningStack, 'outputs' | 'endpoints' | 'ref'>) => Promise<void>;
  /** Test hook: observes and breaks the functions' calls to services. */
  wire?: Wire;
  /** Test hook: runs the functions in another runtime than threads of this process. */
  runtime?: typeof createFunction;
}

/** Ports by the ids of APIs and function URLs, which are the same at every start. */
export type Ports = Readonly<Record<string, number>>;

/** A stack that is ready. */
export interface RunningStack {
  /** The template's outputs by logical id. */
  outputs: Record<string, string>;
  /** The services' own addresses, past the wire. */
  endpoints: Endpoints;
  /** Ports of its APIs and function URLs. */
  ports: Ports;
  /** The `Ref` of a resource, such as the ARN of a secret. Throws for an unknown logical id. */
  ref(logicalId: string): string;
  /**
   * Ends busy environments of the functions whose logical id has this prefix, as crashes would: all, or `most` of each. Returns
   * how many. Requests that they were sending may still arrive.
   */
  kill(functionIdPrefix: string, most?: number): number;
  /**
   * Invokes the one function whose logical id has this prefix. Rejects if there is not exactly one, and with the function's error
   * (its `name` is Lambda's errorType) if the invocation fails.
   */
  invoke(functionIdPrefix: string, event: unknown): Promise<unknown>;
  /**
   * Gives the function of this logical id the code in `folder`, from its next invocation on; a running invocation ends on the
   * code that it began with. Throws and changes nothing if there is no such function, or if the folder does not have the module
   * of its handler. Resolves when the last invocation of the old code has ended, so that its folder can be deleted.
   */
  replaceCode(functionId: string, folder: string): Promise<void>;
  /** Ends pollers and schedules, gives running invocations 3 seconds, then ends everything. State is kept in `data`. */
  stop(): Promise<void>;
}
