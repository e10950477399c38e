import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { App, Stack } from 'aws-cdk-lib';
import { Steploop } from '../../infra/index.ts';
import { type Deployed, deployedIn, outputOf, secretOf } from '../../local/deployed.ts';
import { type RunningStack, type StackOptions, startStack } from '../../local/stack/stack.ts';
import type { Output } from '../../shared/contract/outputs.ts';

/** A deployment of the coding agent of the samples on the embedded stack, bundled as it is deployed. */
export interface CoderStack extends AsyncDisposable {
  readonly stack: RunningStack;
  readonly deployed: Deployed;
  outputOf(name: Output): string;
  /** Calls the HTTP API, or AG-UI at `/agui`, with the token of the deployment. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the body
  api(path: string, body?: object): Promise<any>;
  /** The same, as text: a stream is read to its end. */
  text(path: string, body: object): Promise<string>;
  putSecret(arn: string, value: string): Promise<void>;
}

const local = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

/**
 *
 * @param definition path of the definition, from the project's root
 * @param url URL of the model's server
 */
export async function coderStack(
  definition: string,
  url: string,
  { variables, ...options }: Partial<StackOptions> = {},
): Promise<CoderStack> {
  const root = await mkdtemp(join(tmpdir(), 'steploop-coder-'));
  const assembly = join(root, 'cdk.out');
  const app = new App({ outdir: assembly, builtinCloudFormationValidation: false });
  new Steploop(new Stack(app, 'Coder'), 'Agents', { definition });
  app.synth();
  const deployed = deployedIn(assembly);
  const stack = await startStack({
    assembly,
    ...options,
    variables: { MODEL_URLS: JSON.stringify({ primary: url }), ...variables },
  });
  const secrets = new SecretsManagerClient({ ...local, endpoint: stack.endpoints.secretsManager });
  const putSecret = async (SecretId: string, SecretString: string) => {
    await secrets.send(new PutSecretValueCommand({ SecretId, SecretString }));
  };
  await putSecret(secretOf(deployed, stack, 'ANTHROPIC_API_KEY'), 'key');
  const tokenArn = outputOf(deployed, stack, 'ApiTokenSecretArn');
  const { SecretString: token } = await secrets.send(new GetSecretValueCommand({ SecretId: tokenArn }));
  const ask = (path: string, body?: object) => {
    const base = path.startsWith('/agui')
      ? outputOf(deployed, stack, 'AguiUrl').replace(/\/agui$/, '')
      : outputOf(deployed, stack, 'HttpUrl');
    return fetch(`${base}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  };
  return {
    stack,
    deployed,
    outputOf: (name) => outputOf(deployed, stack, name),
    api: async (path, body) => (await ask(path, body)).json(),
    text: async (path, body) => (await ask(path, body)).text(),
    putSecret,
    async [Symbol.asyncDispose]() {
      secrets.destroy();
      await stack.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}
