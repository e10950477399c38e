/**
 * The embedded stack: runs a synthesized CloudFormation template on this machine, so that what deploys is what runs.
 *
 * 1. Functions reach the emulated services only through the AWS SDKs' own environment variables.
 * 2. Nothing listens outside of the loopback interface.
 * 3. Nothing of this process's environment reaches a function.
 * 4. What is not emulated is refused by name, or listed in resources/accepted.ts.
 * 5. A function may do what its role's policies allow (iam/); resource policies and Lambda permissions are not enforced.
 *
 * Different from Lambda: an environment is a thread, so it is not frozen between invocations (promises that nobody
 * awaits go on), memory is not limited, and the file system and working directory are this machine's.
 */

import { readAssembly } from './assembly.ts';
import { buildResources, outputsOf } from './build.ts';
import type { QueuePoller } from './events/queue-poller.ts';
import { type Access, newAccess } from './iam/access.ts';
import type { InvocationEvent, LambdaFunction } from './lambda/function.ts';
import type { Endpoints } from './lambda/variables.ts';
import { readable } from './readable.ts';
import { supportedResources } from './resources/registry.ts';
import { type Services, startServices } from './services.ts';
import type { Site } from './site.ts';
import { withConditions } from './template/conditions.ts';
import { parameterValues } from './template/parameters.ts';
import { withVariables } from './template/variables.ts';
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
  /** Values for template parameters. */
  parameters?: Record<string, string>;
  /** Environment variables by name, in every function that has one of that name in the template, over its value there. */
  variables?: Record<string, string>;
  /** Gets the functions' output and the stack's notices, line by line, each prefixed by `[function]` or `[stack]`. */
  log?: (line: string) => void;
  /** Told about the start and end of every invocation. Must not throw. */
  onInvocation?: (event: InvocationEvent) => void;
  /** Called when everything is there and nothing runs yet: no message is taken, no schedule fires, no request is answered. */
  beforeWork?: (stack: Pick<RunningStack, 'outputs' | 'endpoints'>) => Promise<void>;
  /** Test hook: observes and breaks the functions' calls to services. */
  wire?: Wire;
}

/** A stack that is ready. */
export interface RunningStack {
  /** The template's outputs by logical id. */
  outputs: Record<string, string>;
  /** The services' own addresses, past the wire. */
  endpoints: Endpoints;
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

const STOP_LIMIT_MS = 3_000;

/**
 * Starts a stack; resolves when it is ready. Rejects, with everything stopped again, for a template it cannot run, a
 * parameter that is missing, a variable that no function has, a port or data folder that is taken.
 */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const assembly = readAssembly(options.assembly, options.stack);
  const { stackName } = assembly;
  const parameters = parameterValues(assembly.template.Parameters ?? {}, options.parameters ?? {});
  const template = withConditions(assembly.template, parameters);
  const resources = withVariables(supportedResources(template), options.variables ?? {});
  const access = newAccess((line) => options.log?.(`[stack] ${line}`));
  const services = await startServices(options.data, options.wire, access);
  const site = newSite(options, stackName, services, access, assembly.assetDirectory);
  const running: Running = { services, site, pollers: [], stopSchedules: [] };
  try {
    const scope = await buildResources(resources, parameters, site);
    // An output is for people and tests, so its URLs lead past the wire.
    const outputs = mapValues(outputsOf(template.Outputs ?? {}, scope, site), (value) =>
      value.replaceAll(services.facing.sqs, services.endpoints.sqs),
    );
    await options.beforeWork?.({ outputs, endpoints: services.endpoints });
    open(running);
    return {
      outputs,
      endpoints: services.endpoints,
      kill: (prefix, most) => functionsOf(site, prefix).reduce((sum, target) => sum + target.kill(most), 0),
      invoke: (prefix, event) => invoke(site, prefix, event),
      replaceCode: (id, folder) => functionOf(site, id).replaceCode(folder),
      stop: once(() => stop(running)),
    };
  } catch (error) {
    await stop(running);
    throw error;
  }
}

interface Running {
  services: Services;
  site: Site;
  pollers: QueuePoller[];
  stopSchedules: (() => void)[];
}

function newSite(
  options: StackOptions,
  stackName: string,
  services: Services,
  access: Access,
  assetDirectory: (key: string) => string,
): Site {
  const log = options.log ?? (() => undefined);
  const wanted = options.port ?? 0;
  const ports = { http: wanted, socket: wanted === 0 ? 0 : wanted + 1, url: wanted === 0 ? 0 : wanted + 2 };
  return {
    stackName,
    dynamodb: services.dynamodb,
    sqs: services.sqs,
    secrets: services.secrets,
    createBucket: services.createBucket,
    access,
    facing: services.facing,
    wire: options.wire,
    portFor(kind) {
      const port = ports[kind];
      ports[kind] = 0;
      return port;
    },
    assetDirectory,
    observer: (id) => ({
      log: (line) => log(`[${id}] ${readable(line)}`),
      onInvocation: options.onInvocation ?? (() => undefined),
    }),
    notice: (line) => log(`[stack] ${line}`),
    managedPolicies: new Map(),
    functions: new Map(),
    apis: new Map(),
    urls: [],
    integrations: new Map(),
    socketRoutes: new Map(),
    pollers: [],
    schedules: [],
  };
}

function open(running: Running): void {
  const { site } = running;
  for (const api of [...site.apis.values(), ...site.urls]) api.opened = true;
  running.pollers.push(...site.pollers.map((start) => start()));
  running.stopSchedules.push(...site.schedules.map((start) => start()));
}

async function stop({ services, site, pollers, stopSchedules }: Running): Promise<void> {
  for (const stopSchedule of stopSchedules) stopSchedule();
  for (const poller of pollers) poller.stop();
  for (const api of [...site.apis.values(), ...site.urls]) api.close();
  await Promise.all([...site.functions.values()].map((target) => target.stop(STOP_LIMIT_MS)));
  await Promise.all(pollers.map((poller) => poller.settled()));
  await Promise.all([...site.apis.values(), ...site.urls].map((api) => api.stop()));
  await services.stop();
}

async function invoke(site: Site, prefix: string, event: unknown): Promise<unknown> {
  const [target, ...others] = functionsOf(site, prefix);
  if (!target || others.length > 0) {
    throw new Error(
      `${prefix} must be the start of exactly one function's logical id; there are: ${[...site.functions.keys()].join(', ')}`,
    );
  }
  const outcome = await target.invoke(event, 'refuse');
  switch (outcome.kind) {
    case 'ok':
      return JSON.parse(outcome.result);
    case 'throttled':
      throw named('TooManyRequestsException', 'Rate Exceeded.');
    case 'tooLarge':
      throw named('RequestTooLargeException', 'the event is larger than 6 MB');
    case 'error':
    case 'timeout':
    case 'killed':
      throw named(outcome.error.errorType, outcome.error.errorMessage);
  }
}

function functionOf(site: Site, id: string): LambdaFunction {
  const found = site.functions.get(id);
  if (!found)
    throw new Error(
      `${id} is not the logical id of a function; there are: ${[...site.functions.keys()].join(', ')}`,
    );
  return found;
}

function functionsOf(site: Site, prefix: string): LambdaFunction[] {
  return [...site.functions].filter(([id]) => id.startsWith(prefix)).map(([, target]) => target);
}

function named(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}

function mapValues(
  record: Record<string, string>,
  change: (value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

function once(run: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => {
    result ??= run();
    return result;
  };
}
