/** The place where resources are created, and the parts of it that the stack runs. */
import type { AwsJson } from './aws-json.ts';
import type { QueuePoller } from './events/queue-poller.ts';
import type { FunctionUrl } from './gateway/function-url.ts';
import type { HttpApi } from './gateway/http-api.ts';
import type { SocketApi } from './gateway/socket-api.ts';
import type { SocketRoute } from './gateway/socket-integration.ts';
import type { Access } from './iam/access.ts';
import type { Statement } from './iam/policy.ts';
import type { Callers } from './lambda/callers.ts';
import type { createFunction, FunctionObserver, LambdaFunction } from './lambda/function.ts';
import type { Endpoints } from './lambda/variables.ts';
import type { CorsRule } from './services/presigned.ts';
import type { LocalSecrets } from './services/secrets-manager.ts';
import type { Variables } from './template/variables.ts';
import type { Wire } from './wire.ts';

/** The place where one stack is being built. */
export interface Site {
  readonly stackName: string;
  /** The stack's own access to the services, past the wire. */
  readonly dynamodb: AwsJson;
  readonly sqs: AwsJson;
  readonly secrets: LocalSecrets;
  createBucket(name: string, cors: readonly CorsRule[]): void;
  /** The permissions of roles. */
  readonly access: Access;
  /** The addresses for functions. */
  readonly facing: Endpoints;
  readonly wire: Wire | undefined;
  /** Prepares a function. */
  readonly runtime: typeof createFunction;
  /** The callers of the APIs, over all functions. */
  readonly callers: Callers;
  /** Variables that the stack's starter sets in its functions. */
  readonly variables: Variables;
  /** The wanted port of an API or function URL of this kind; 0 = any. */
  portFor(kind: 'http' | 'socket' | 'url', id: string): number;
  assetDirectory(objectKey: string): string;
  /** Reports a function's output and invocations. */
  observer(functionId: string, functionName: string): FunctionObserver;
  notice(line: string): void;

  /** Statements of managed policies, by ARN. */
  readonly managedPolicies: Map<string, readonly Statement[]>;
  /** By logical id. */
  readonly functions: Map<string, LambdaFunction>;
  /** By API id. */
  readonly apis: Map<string, HttpApi | SocketApi>;
  readonly urls: FunctionUrl[];
  /** By custom domain name. */
  readonly domains: Map<string, { readonly api: HttpApi | SocketApi; readonly stage: string }>;
  /** By integration id. */
  readonly integrations: Map<string, LambdaFunction>;
  /** By route id. */
  readonly socketRoutes: Map<string, SocketRoute>;
  /** Started when every resource exists: pollers and schedules. */
  readonly pollers: (() => QueuePoller)[];
  readonly schedules: (() => () => void)[];
}

/** The values that other resources can refer to. `attributes` are those of Fn::GetAtt. */
export interface Created {
  ref: string;
  attributes: Record<string, string>;
}

/** The function that an ARN, an API Gateway integration URI or a name points to, with a version or without. Throws if there is none here. */
export function functionAt(site: Site, pointer: string): LambdaFunction {
  const inUri = /:lambda:path\/[^/]+\/functions\/(.+)\/invocations$/.exec(pointer)?.[1] ?? pointer;
  const unqualified = inUri.replace(/^((?:arn:.*:function:)?[^:]+):[^:]+$/, '$1');
  const found = [...site.functions.values()].find(
    ({ settings }) => settings.arn === unqualified || settings.name === unqualified,
  );
  if (!found) throw new Error(`${pointer} is not a function of this stack`);
  return found;
}
