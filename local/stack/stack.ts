/**
 * The embedded stack: runs a synthesized CloudFormation template on this machine, so that the deployed template is the one that
 * runs here.
 *
 * 1. Functions reach the emulated services only through the AWS SDKs' own environment variables.
 * 2. Nothing listens outside of the loopback interface.
 * 3. Nothing of this process's environment reaches a function.
 * 4. Features that are not emulated are refused by name, or listed in resources/accepted.ts.
 * 5. A function may do what its role's policies allow (iam/); resource policies and Lambda permissions are not enforced.
 *
 * Differences from Lambda: while this machine has no idle core, an invocation waits up to a second for a warm environment before
 * another one is started for it. An environment is a thread, so it is not frozen between invocations (unawaited promises
 * continue), memory is not limited, and the file system and working directory are this machine's. A function on a capacity
 * provider has exactly one environment, with a thread for each vCPU. Callers share this machine: one with many requests at once is
 * slowed while others call too (lambda/callers.ts).
 */

import { readAssembly } from './assembly.ts';
import { buildResources, outputsOf } from './build.ts';
import type { QueuePoller } from './events/queue-poller.ts';
import { functionOf, functionsOf, invoke } from './functions.ts';
import { newAccess } from './iam/access.ts';
import { newSite } from './new-site.ts';
import type { RunningStack, StackOptions } from './options.ts';
import { supportedResources } from './resources/registry.ts';
import { type Services, startServices } from './services.ts';
import type { Site } from './site.ts';
import { withConditions } from './template/conditions.ts';
import { parameterValues } from './template/parameters.ts';
import { checkVariables } from './template/variables.ts';

export type { RunningStack, StackOptions } from './options.ts';

const STOP_LIMIT_MS = 3_000;

/**
 * Starts a stack; resolves when it is ready. Rejects, with everything stopped again, for a template that it cannot run, a missing
 * parameter, a variable that no function has, or a port or data folder that is taken.
 */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const assembly = readAssembly(options.assembly, options.stack);
  const { stackName } = assembly;
  const parameters = parameterValues(assembly.template.Parameters ?? {}, options.parameters ?? {});
  const template = withConditions(assembly.template, parameters);
  const resources = supportedResources(template);
  checkVariables(resources, options.variables ?? {});
  const access = newAccess((line) => options.log?.(`[stack] ${line}`));
  const services = await startServices(options.data, options.wire, access);
  const site = newSite(options, stackName, services, access, assembly.assetDirectory);
  const running: Running = { services, site, pollers: [], stopSchedules: [] };
  try {
    const scope = await buildResources(resources, parameters, site);
    // Outputs are for people and tests, so their URLs lead past the wire.
    const outputs = mapValues(outputsOf(template.Outputs ?? {}, scope, site), (value) =>
      value.replaceAll(services.facing.sqs, services.endpoints.sqs),
    );
    const built = { outputs, endpoints: services.endpoints, ref: (id: string) => String(scope.ref(id)) };
    await options.beforeWork?.(built);
    open(running);
    return {
      ...built,
      ports: Object.fromEntries(gatesOf(site).map(({ id, port }) => [id, port])),
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

function open(running: Running): void {
  const { site } = running;
  for (const gate of gatesOf(site)) gate.opened = true;
  running.pollers.push(...site.pollers.map((start) => start()));
  running.stopSchedules.push(...site.schedules.map((start) => start()));
}

async function stop({ services, site, pollers, stopSchedules }: Running): Promise<void> {
  for (const stopSchedule of stopSchedules) stopSchedule();
  for (const poller of pollers) poller.stop();
  for (const gate of gatesOf(site)) gate.close();
  await Promise.all([...site.functions.values()].map((target) => target.stop(STOP_LIMIT_MS)));
  await Promise.all(pollers.map((poller) => poller.settled()));
  await Promise.all(gatesOf(site).map((gate) => gate.stop()));
  await services.stop();
}

/** The servers that listen for clients. */
const gatesOf = (site: Site) => [...site.apis.values(), ...site.urls];

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
