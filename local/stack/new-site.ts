import type { Access } from './iam/access.ts';
import { createCallers } from './lambda/callers.ts';
import { createFunction } from './lambda/function.ts';
import type { StackOptions } from './options.ts';
import { readable } from './readable.ts';
import type { Services } from './services.ts';
import type { Site } from './site.ts';

/** A site without resources. */
export function newSite(
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
    runtime: options.runtime ?? createFunction,
    callers: createCallers(),
    variables: options.variables ?? {},
    portFor(kind, id) {
      const known = options.ports?.[id];
      if (known !== undefined) return known;
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
    domains: new Map(),
    integrations: new Map(),
    socketRoutes: new Map(),
    pollers: [],
    schedules: [],
  };
}
