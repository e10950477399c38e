import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { App, Stack } from 'aws-cdk-lib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Steploop } from '../../infra/index.ts';
import { type Deployed, deployedIn, outputOf, secretOf } from '../../local/deployed.ts';
import { type RunningStack, startStack } from '../../local/stack/stack.ts';
import { callTools, type RuleModel, ruleModel, sayText } from '../support/rule-model.ts';

/** The coding agent of the samples, bundled and on the embedded stack: its shell and its threads are files of the bundle. */

const wrong = 'export const add = (a: number, b: number): number => a - b;';
const repository = `mkdir -p src test .before/src
echo '{ "type": "module", "scripts": { "test": "node --test" } }' > package.json
cat > src/add.ts <<'X'
${wrong}
X
cat > test/add.test.ts <<'X'
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add } from '../src/add.ts';
test('adds', () => assert.equal(add(1, 2), 3));
X
cp src/add.ts .before/src`;

let root: string;
let deployed: Deployed;
let stack: RunningStack;
let model: RuleModel;
const local = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'steploop-coder-'));
  const app = new App({ outdir: join(root, 'cdk.out') });
  new Steploop(new Stack(app, 'Coder'), 'Agents', { definition: 'agents/samples/coder/steploop.config.ts' });
  app.synth();
  const turns = [
    callTools(['bash', { command: repository }]),
    callTools(['bash', { command: 'npm test' }], ['read_file', { path: 'src/add.ts' }]),
    callTools(['edit_file', { path: 'src/add.ts', old_string: 'a - b', new_string: 'a + b' }]),
    callTools([
      'bash',
      { command: 'npm test && { diff -u .before/src/add.ts src/add.ts > changes.patch; rm -r .before; }' },
    ]),
    callTools(['bash', { command: 'node -e "for (;;);"; env; cat /etc/passwd' }]),
  ];
  model = await ruleModel(
    ({ turn }) => turns[turn] ?? sayText('Fixed: add() subtracted in src/add.ts. All tests pass.'),
  );
  deployed = deployedIn(join(root, 'cdk.out'));
  stack = await startStack({
    assembly: join(root, 'cdk.out'),
    variables: { MODEL_URLS: JSON.stringify({ primary: model.url }) },
  });
  const secrets = new SecretsManagerClient({ ...local, endpoint: stack.endpoints.secretsManager });
  const SecretId = secretOf(deployed, stack, 'ANTHROPIC_API_KEY');
  await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: 'key' }));
});
afterAll(async () => {
  await stack?.stop();
  await model?.[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the body
async function api(path: string, body?: object): Promise<any> {
  const secrets = new SecretsManagerClient({ ...local, endpoint: stack.endpoints.secretsManager });
  const SecretId = outputOf(deployed, stack, 'ApiTokenSecretArn');
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId }));
  const response = await fetch(`${outputOf(deployed, stack, 'HttpUrl')}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${SecretString}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.json();
}

test('the coding agent finds a failing test by bash, mends it, and its patch is fetched by a link', async () => {
  const { sessionId } = await api('/sessions', { agent: 'coder', message: 'Mend the tests.' });
  await expect
    .poll(async () => (await api(`/sessions/${sessionId}`)).state, { timeout: 200_000, interval: 200 })
    .toBe('completed');
  const { messages } = await api(`/sessions/${sessionId}/messages`);
  const results: string[] = messages
    .filter(({ role }: { role: string }) => role === 'tool')
    .map(({ content }: { content: string }) => content);
  const [made, failing, source, edited, passing, harm] = results;
  expect(JSON.parse(made ?? '')).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  expect(JSON.parse(failing ?? '')).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('expected 3, got -1'),
  });
  expect(source).toBe(wrong);
  expect(edited).toContain('+export const add = (a: number, b: number): number => a + b;');
  expect(JSON.parse(passing ?? '')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('fail 0') });
  // Its own clock or that of its thread ends it, whichever is looked at first.
  expect(harm).toMatch(/imeout|interrupted/);
  expect(harm).not.toMatch(/AWS_|root:/);

  const { files } = await api(`/sessions/${sessionId}/files`);
  expect(files.map(({ path }: { path: string }) => path)).toEqual([
    'changes.patch',
    'package.json',
    'src/add.ts',
    'test/add.test.ts',
  ]);
  const { files: patches } = await api(`/sessions/${sessionId}/files?path=changes.patch`);
  expect(await (await fetch(patches[0].url)).text()).toContain(
    '+export const add = (a: number, b: number): number => a + b;',
  );
}, 240_000);
