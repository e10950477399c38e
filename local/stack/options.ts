/** How a stack is run, and what there is when it runs. */
import type { InvocationEvent } from './lambda/function.ts';
import type { Endpoints } from './lambda/variables.ts';
import type { Variables } from './template/variables.ts';
import type { Wire } from './wire.ts';

/** How to run a stack. */
export interface StackOptions {
  /** The cloud assembly: a folder with manifest.json, templates and assets, usually `cdk.out`. */
  assembly: string;
  /** The stack's name, needed when the assembly has several. */
  stack?: string;
  /** Folder for everything that should outlive this run. Absent = all state in memory. */
  data?: string;
  /** Port of the HTTP API; a WebSocket API listens on the next one, a function URL on the one after. 0 or absent = any free ports. */
  port?: number;
  /** The ports of an earlier run of the same stack, as that told them: what was there is where it was. */
  ports?: Ports;
  /** Values for template parameters. */
  parameters?: Record<string, string>;
  /**
   * Environment variables by name, in every function that has one of that name in the template, over its value there. A
   * function makes the value of the template's.
   */
  variables?: Variables;
  /** Gets the functions' output and the stack's notices, line by line, each prefixed by `[function]` or `[stack]`. */
  log?: (line: string) => void;
  /** Told about the start and end of every invocation. Must not throw. */
  onInvocation?: (event: InvocationEvent) => void;
  /** Called when everything is there and nothing runs yet: no message is taken, no schedule fires, no request is answered. */
  beforeWork?: (stack: Pick<RunningStack, 'outputs' | 'endpoints' | 'ref'>) => Promise<void>;
  /** Test hook: observes and breaks the functions' calls to services. */
  wire?: Wire;
}

/** Ports by the ids of APIs and function URLs, which are the same at every start. */
export type Ports = Readonly<Record<string, number>>;

/** A stack that is ready. */
export interface RunningStack {
  /** The template's outputs by logical id. */
  outputs: Record<string, string>;
  /** The services' own addresses, past the wire. */
  endpoints: Endpoints;
  /** Where its APIs and function URLs listen. */
  ports: Ports;
  /** What `Ref` gives for a resource, such as the ARN of a secret. Throws when there is none of this logical id. */
  ref(logicalId: string): string;
  /**
   * Ends busy environments of the functions whose logical id starts so, as crashes would: all, or `most` of each.
   * Returns how many. What they were sending may still arrive.
   */
  kill(functionIdPrefix: string, most?: number): number;
  /**
   * Invokes the one function whose logical id starts so. Rejects when there is not exactly one, and with the
   * function's error (its `name` is Lambda's errorType) when the invocation fails.
   */
  invoke(functionIdPrefix: string, event: unknown): Promise<unknown>;
  /**
   * Gives the function of this logical id the code in `folder`, from its next invocation on; one that is running ends on
   * the code that it began with. Throws, and changes nothing, when there is no such function or the folder does not have
   * the module of its handler. Resolves when nothing runs on the old code any more: its folder may go then.
   */
  replaceCode(functionId: string, folder: string): Promise<void>;
  /** Ends pollers and schedules, gives running invocations 3 seconds, then ends everything. State is kept in `data`. */
  stop(): Promise<void>;
}
