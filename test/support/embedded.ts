import { createServer } from 'node:http';
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
import type { AgUiEvent, Frame, SnapshotMessage } from '../../shared/contract/events.ts';
import type { Output } from '../../shared/contract/outputs.ts';
import { assertDescribed } from './reference/described.ts';
import { hear, mayHaveChanged } from './step-lines.ts';

/** The secrets with which senders sign the test agents' webhooks. */
export const webhookSecrets = {
  STRIPE_WEBHOOK_SECRET: 'whsec_test_stripe',
  // The old secret and the new one, as in a rotation.
  STANDARD_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')} whsec_${Buffer.alloc(32, 2).toString('base64')}`,
};

/** A start of a test tool. */
export interface ToolStart {
  readonly name: string;
  readonly input: unknown;
  readonly idempotencyKey: string;
}

/** The result of a test tool; the default is `{ ok: true }`. */
export type ToolRule = (start: ToolStart, n: number) => unknown | Promise<unknown>;

/** The embedded stack on the test assembly, with everything that a test may want to do to it. */
export interface Embedded extends AsyncDisposable {
  /** Its outputs are those of the deployment, under the contract's names. */
  readonly stack: Omit<RunningStack, 'outputs'> & { readonly outputs: Partial<Record<Output, string>> };
  /** The ARN of a secret that the definition declares. */
  readonly arnOf: (name: string) => string;
  readonly token: string;
  readonly webhookSecret: string;
  readonly toolStarts: readonly ToolStart[];
  /** Calls the HTTP API, or AG-UI and chat at `/agui` and `/chat`, with the token. The body of a stream is its text. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Starts a session and returns its id. */
  start(message: string): Promise<string>;
  session(id: string): Promise<Record<string, unknown> & { state: string }>;
  /** Resolves when the session is at rest. Rejects after `seconds`. */
  atRest(id: string, seconds?: number): Promise<Record<string, unknown> & { state: string; reason: string }>;
  messages(id: string): Promise<SnapshotMessage[]>;
  frames(id: string): Promise<Frame[]>;
  events(id: string): Promise<AgUiEvent[]>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the body
  readonly body: any;
}

export interface EmbeddedOptions
  extends Pick<StackOptions, 'wire' | 'data' | 'ports' | 'onInvocation' | 'log' | 'runtime'> {
  readonly model: { readonly url: string };
  /** Addresses of other model servers, by name. */
  readonly modelUrls?: Readonly<Record<string, string>>;
  readonly tools?: ToolRule;
  /** Environment variables of the functions. They override the template. */
  readonly variables?: Record<string, string>;
  /** Folder of the cloud assembly; by default the one that the test run has synthesized. */
  readonly assembly?: string;
  /**
   * Seconds until a killed step is replaced, also one that was killed before it could tell the queue (330 s in the
   * template). A short lease expires on a busy machine while its owner is alive.
   */
  readonly leaseSeconds?: number;
}

export const local = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};

export async function embedded({
  model,
  modelUrls,
  tools,
  variables,
  leaseSeconds = 30,
  assembly,
  log,
  ...options
}: EmbeddedOptions): Promise<Embedded> {
  const toolServer = await startTools(tools ?? (() => ({ ok: true })));
  const folder = assembly ?? (await theTestsAssembly());
  const deployed = deployedIn(folder);
  const started = await startStack({
    assembly: folder,
    variables: {
      [env.MODEL_URLS]: JSON.stringify({ primary: model.url, ...modelUrls }),
      [env.SETTINGS]: JSON.stringify({ TOOLS_URL: toolServer.url }),
      [env.STEP_LEASE_SECONDS]: String(leaseSeconds),
      [env.CALLBACK_LOOPBACK]: 'allow',
      [env.FETCH_LOOPBACK]: 'allow',
      ...variables,
    },
    ...options,
    log(line) {
      hear(line);
      log?.(line);
    },
    beforeWork: async (built) => {
      const sqs = new SQSClient({ ...local, endpoint: built.endpoints.sqs });
      // A new environment on a busy machine takes seconds.
      const VisibilityTimeout = String(Math.max(20, hideMs(leaseSeconds * 1000) / 1000));
      const { StepQueueUrl: first = '' } = outputsOf(deployed, built);
      for (const QueueUrl of [first, ...lanesOf(folder).map((name) => urlBeside(first, name))])
        await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout } }));
      sqs.destroy();
    },
  });
  const outputs = outputsOf(deployed, started);
  const stack = { ...started, outputs };
  const arnOf = (name: string) => secretOf(deployed, started, name);
  const secrets = new SecretsManagerClient({ ...local, endpoint: stack.endpoints.secretsManager });
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

  const api: Embedded['api'] = async (method, path, body, headers = {}) => {
    const base = /^\/(agui|chat)\b/.test(path)
      ? stack.outputs.AguiUrl?.replace(/\/agui$/, '')
      : stack.outputs.HttpUrl;
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status, headers: sent } = response;
    if (sent.get('content-type') === 'text/event-stream') return { status, headers: sent, body: text };
    const answer = { status, headers: sent, body: text ? JSON.parse(text) : undefined };
    assertDescribed(method, path, answer);
    return answer;
  };
  const read = async (path: string) => (await api('GET', path)).body;

  const world: Embedded = {
    stack,
    arnOf,
    token,
    webhookSecret,
    toolStarts: toolServer.starts,
    api,
    async start(message) {
      const { status, body } = await api('POST', '/sessions', { agent: 'worker', message });
      if (status !== 201) throw new Error(`POST /sessions: ${status} ${JSON.stringify(body)}`);
      return body.sessionId;
    },
    session: (id) => read(`/sessions/${id}`),
    async atRest(id, seconds = 60) {
      for (const end = Date.now() + seconds * 1000; Date.now() < end; await mayHaveChanged(id)) {
        const session = await world.session(id);
        if (session.state !== 'running' && session.state !== 'idle') return session as never;
      }
      throw new Error(`not at rest after ${seconds} s: ${JSON.stringify(await world.session(id))}`);
    },
    messages: async (id) => (await read(`/sessions/${id}/messages`)).messages,
    frames: async (id) => (await read(`/sessions/${id}/events?limit=1000`)).frames,
    events: async (id) => (await world.frames(id)).map(({ event }) => event),
    async [Symbol.asyncDispose]() {
      await stack.stop();
      await toolServer[Symbol.asyncDispose]();
      secrets.destroy();
    },
  };
  return world;
}

/** Names of all queues of steps except the first. */
const lanesOf = (assembly: string): string[] =>
  stacksIn(assembly).flatMap(({ template }) =>
    Object.values(template.Resources).flatMap(({ Properties }) => {
      const name = String(Properties?.QueueName);
      return /-steps-\d+$/.test(name) ? [name] : [];
    }),
  );

/** Imported here, since the module exists only under vitest. */
async function theTestsAssembly(): Promise<string> {
  const { inject } = await import('vitest');
  return inject('assembly');
}

async function startTools(rule: ToolRule) {
  const starts: ToolStart[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const name = request.url?.split('/').at(-1) ?? '';
    const start: ToolStart = { name, ...JSON.parse(Buffer.concat(chunks).toString()) };
    starts.push(start);
    const answer = await rule(start, starts.length);
    if (!response.destroyed) response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    starts,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
