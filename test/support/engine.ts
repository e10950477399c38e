import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { deployedIn, outputsOf, secretOf } from '../../local/deployed.ts';
import { stacksIn } from '../../local/stack/assembly.ts';
import { type RunningStack, type StackOptions, startStack } from '../../local/stack/stack.ts';
import { hideMs } from '../../shared/agent/step/open/lease.ts';
import { urlBeside } from '../../shared/aws/lanes.ts';
import { env } from '../../shared/contract/env.ts';
import type { Output } from '../../shared/contract/outputs.ts';
import { hear } from './step-lines.ts';

/** The secrets with which senders sign the test agents' webhooks. */
export const webhookSecrets = {
  STRIPE_WEBHOOK_SECRET: 'whsec_test_stripe',
  // The old secret and the new one, as in a rotation.
  STANDARD_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')} whsec_${Buffer.alloc(32, 2).toString('base64')}`,
};

export const local = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};

/** A start of a test tool. */
export interface ToolStart {
  readonly name: string;
  readonly input: unknown;
  readonly idempotencyKey: string;
}

/** The result of a test tool; the default is `{ ok: true }`. */
export type ToolRule = (start: ToolStart, n: number) => unknown | Promise<unknown>;

/** The side of a test to which a stack speaks. */
export interface Counterpart {
  readonly tools?: ToolRule | undefined;
  readonly log?: StackOptions['log'] | undefined;
  readonly onInvocation?: StackOptions['onInvocation'] | undefined;
}

export interface EngineOptions extends Pick<StackOptions, 'wire' | 'data' | 'ports' | 'runtime'> {
  /** Folder of the cloud assembly. */
  readonly assembly: string;
  /** Addresses of the model servers, by name. */
  readonly modelUrls: Readonly<Record<string, string>>;
  /** Environment variables of the functions. They override the template. */
  readonly variables?: Record<string, string>;
  readonly leaseSeconds: number;
}

/** The embedded stack on a test assembly, with a server for its tools and the secrets of its agents. */
export interface Engine {
  /** Its outputs are those of the deployment, under the contract's names. */
  readonly stack: Omit<RunningStack, 'outputs'> & { readonly outputs: Partial<Record<Output, string>> };
  /** The ARN of a secret that the definition declares. */
  readonly arnOf: (name: string) => string;
  readonly token: string;
  readonly webhookSecret: string;
  /** The starts of tools for the test that it serves. */
  readonly toolStarts: readonly ToolStart[];
  /** Connects it to another test, whose tools have not started. */
  serve(counterpart: Counterpart): void;
  stop(): Promise<void>;
}

/** Starts a stack. Sessions in its data folder may call the counterpart before this resolves. */
export async function startEngine(
  { assembly, modelUrls, variables, leaseSeconds, ...options }: EngineOptions,
  first: Counterpart,
): Promise<Engine> {
  let counterpart = first;
  let starts: ToolStart[] = [];
  const toolServer = await listening(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const name = request.url?.split('/').at(-1) ?? '';
    const start: ToolStart = { name, ...JSON.parse(Buffer.concat(chunks).toString()) };
    starts.push(start);
    const answer = await (counterpart.tools ?? (() => ({ ok: true })))(start, starts.length);
    if (!response.destroyed) response.end(JSON.stringify(answer));
  });
  const deployed = deployedIn(assembly);
  const started = await startStack({
    assembly,
    variables: {
      [env.MODEL_URLS]: JSON.stringify(modelUrls),
      [env.SETTINGS]: JSON.stringify({ TOOLS_URL: toolServer.url }),
      [env.STEP_LEASE_SECONDS]: String(leaseSeconds),
      [env.CALLBACK_LOOPBACK]: 'allow',
      [env.FETCH_LOOPBACK]: 'allow',
      ...variables,
    },
    ...options,
    log(line) {
      hear(line);
      counterpart.log?.(line);
    },
    onInvocation: (event) => counterpart.onInvocation?.(event),
    beforeWork: async (built) => {
      const sqs = new SQSClient({ ...local, endpoint: built.endpoints.sqs });
      // A new environment on a busy machine takes seconds.
      const VisibilityTimeout = String(Math.max(20, hideMs(leaseSeconds * 1000) / 1000));
      const { StepQueueUrl: first = '' } = outputsOf(deployed, built);
      for (const QueueUrl of [first, ...lanesOf(assembly).map((name) => urlBeside(first, name))])
        await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout } }));
      sqs.destroy();
    },
  });
  const outputs = outputsOf(deployed, started);
  const arnOf = (name: string) => secretOf(deployed, started, name);
  const secrets = new SecretsManagerClient({ ...local, endpoint: started.endpoints.secretsManager });
  const secretValue = async (SecretId: string | undefined) => {
    const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId }));
    return SecretString ?? '';
  };
  const put = (name: string, SecretString: string) =>
    secrets.send(new PutSecretValueCommand({ SecretId: arnOf(name), SecretString }));
  await put('FIRST_KEY', 'test-key');
  for (const [name, value] of Object.entries(webhookSecrets)) await put(name, value);
  const token = await secretValue(outputs.ApiTokenSecretArn);
  const webhookSecret = await secretValue(arnOf('GITHUB_WEBHOOK_SECRET'));
  secrets.destroy();
  return {
    stack: { ...started, outputs },
    ...{ arnOf, token, webhookSecret },
    get toolStarts() {
      return starts;
    },
    serve(next) {
      counterpart = next;
      starts = [];
    },
    async stop() {
      await started.stop();
      await toolServer.stop();
    },
  };
}

/** Names of all queues of steps except the first. */
const lanesOf = (assembly: string): string[] =>
  stacksIn(assembly).flatMap(({ template }) =>
    Object.values(template.Resources).flatMap(({ Properties }) => {
      const name = String(Properties?.QueueName);
      return /-steps-\d+$/.test(name) ? [name] : [];
    }),
  );

/** A server on loopback. */
export async function listening(listener: RequestListener): Promise<{
  readonly url: string;
  readonly server: Server;
  stop(): Promise<void>;
}> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
