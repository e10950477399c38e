import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { App, type CfnElement, Stack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Steploop } from '../../infra/index.ts';
import { type Deployed, deployedIn, outputOf, secretOf } from '../../local/deployed.ts';
import { type RunningStack, startStack } from '../../local/stack/stack.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

/** A user's definition: tools with a setting and a secret, one of them from the queue, a webhook, and no Slack. */
const definition = `
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { defineAgent, defineDeployment, defineTool, defineWebhook } from 'steploop';
import * as z from 'zod';

const read = (name: string, setting: 'FILES' | 'OTHERS', where: 'inline' | 'queue') =>
  defineTool({
    name,
    description: 'Reads a file.',
    effect: 'read',
    input: z.object({}),
    where,
    settings: [setting],
    secrets: ['STAMP'],
    run: async (_, context) => {
      const client = new S3Client({ forcePathStyle: true });
      const { Body } = await client.send(new GetObjectCommand({ Bucket: context.setting(setting), Key: 'a' }));
      return (await Body?.transformToString()) + ' ' + (await context.secret('STAMP'));
    },
  });

const clerk = defineAgent({
  name: 'clerk',
  version: '1',
  model: { name: 'claude-sonnet-5-5' },
  system: 'You read files.',
  tools: [read('here', 'FILES', 'inline'), read('later', 'FILES', 'queue'), read('elsewhere', 'OTHERS', 'inline')],
});

export default defineDeployment({
  agents: [clerk],
  webhooks: {
    desk: defineWebhook({
      verify: { kind: 'github', secret: 'DESK_SECRET' },
      map: () => ({ agent: 'clerk', sessionKey: 'desk', message: 'Read.' }),
    }),
  },
  settings: { FILES: { description: 'The bucket of files.' }, OTHERS: { description: 'A bucket of others.' } },
  secrets: { STAMP: { description: 'Is put below.' }, DESK_SECRET: { description: 'Signs.' } },
});
`;

let root: string;
let deployed: Deployed;
let stack: RunningStack;
let model: RuleModel;
const log: string[] = [];
const local = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'steploop-own-app-'));
  await writeFile(join(root, 'steploop.config.ts'), definition);
  const app = new App({ outdir: join(root, 'cdk.out') });
  const somebody = new Stack(app, 'Somebody');
  const [files, others] = ['Files', 'Others'].map((id) => new Bucket(somebody, id));
  if (!files || !others) throw new Error('there are two');
  const certificate = Certificate.fromCertificateArn(
    somebody,
    'Certificate',
    'arn:aws:acm:us-east-1:111111111111:certificate/1',
  );
  const agents = new Steploop(somebody, 'Agents', {
    definition: join(root, 'steploop.config.ts'),
    settings: { FILES: files.bucketName, OTHERS: others.bucketName },
    vpc: { vpc: new Vpc(somebody, 'Network', { maxAzs: 2 }) },
    domain: {
      http: { name: 'agents.example.com', certificate },
      socket: { name: 'live.example.com', certificate },
    },
  });
  files.grantRead(agents.tools);
  const [filesId = ''] = [files].map(({ node }) => somebody.getLogicalId(node.defaultChild as CfnElement));
  app.synth();

  model = await ruleModel(({ turn }) =>
    turn === 0 ? callTools(['here', {}], ['later', {}], ['elsewhere', {}]) : sayText('Done.'),
  );
  deployed = deployedIn(join(root, 'cdk.out'));
  stack = await startStack({
    assembly: join(root, 'cdk.out'),
    variables: { MODEL_URLS: JSON.stringify({ primary: model.url }) },
    log: (line) => log.push(line),
  });
  const secrets = new SecretsManagerClient({ ...local, endpoint: stack.endpoints.secretsManager });
  for (const name of ['STAMP', 'DESK_SECRET', 'ANTHROPIC_API_KEY'])
    await secrets.send(
      new PutSecretValueCommand({ SecretId: secretOf(deployed, stack, name), SecretString: `of-${name}` }),
    );
  const s3 = new S3Client({ ...local, endpoint: stack.endpoints.s3, forcePathStyle: true });
  await s3.send(new PutObjectCommand({ Bucket: stack.ref(filesId), Key: 'a', Body: 'the file' }));
});
afterAll(async () => {
  await stack?.stop();
  await model?.[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

/** Calls the HTTP API as the operator. */
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the body
async function api(path: string): Promise<any> {
  const secrets = new SecretsManagerClient({ ...local, endpoint: stack.endpoints.secretsManager });
  const SecretId = outputOf(deployed, stack, 'ApiTokenSecretArn');
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId }));
  const url = `${outputOf(deployed, stack, 'HttpUrl')}${path}`;
  return (await fetch(url, { headers: { authorization: `Bearer ${SecretString}` } })).json();
}

test('a webhook starts a run whose tools read what was granted, from the step and from the queue, and nothing else', async () => {
  const body = '{}';
  const signature = createHmac('sha256', 'of-DESK_SECRET').update(body).digest('hex');
  const taken = await fetch(`${outputOf(deployed, stack, 'HttpUrl')}/hooks/desk`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'ping',
      'x-github-delivery': '1',
      'x-hub-signature-256': `sha256=${signature}`,
    },
  });
  expect(taken.status).toBe(202);
  const { sessionId } = (await taken.json()) as { sessionId: string };
  await expect
    .poll(async () => (await api(`/sessions/${sessionId}`)).state, { timeout: 60_000 })
    .toBe('completed');

  const { messages } = await api(`/sessions/${sessionId}/messages`);
  const results = messages.filter(({ role }: { role: string }) => role === 'tool');
  const [here, later, elsewhere] = results.map(({ content }: { content: string }) => content);
  expect(here).toContain('the file of-STAMP');
  expect(later).toContain('the file of-STAMP');
  expect(elsewhere).not.toContain('the file');
  expect(elsewhere).toMatch(/AccessDenied|not authorized/);
  expect(log.join('\n')).toMatch(/was denied s3:GetObject/);
});

test('the laptop reports that the VPC and the domain names are missing here, and serves requests itself', async () => {
  expect(outputOf(deployed, stack, 'HttpUrl')).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(outputOf(deployed, stack, 'SocketUrl')).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/live$/);
  const said = log.filter((line) => line.startsWith('[stack]')).join('\n');
  expect(said).toMatch(/VPCs are not emulated/);
  expect(said).toMatch(/agents\.example\.com is a name on AWS only/);
});
