import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningStack, startStack } from '../../local/stack/stack.ts';
import { api, eventually, lambda, writeAssembly } from './local-stack.fixture.ts';

const root = mkdtempSync(join(tmpdir(), 'local-stack-code-'));
const said: string[] = [];
const environments = new Map<string, string>();
let stack: RunningStack;

/** Returns its code version and its own id. It waits until it is released, and only then reads its code's chunk. */
const code = (version: string) => `
  let calls = 0;
  console.log('loaded: ${version}');
  export const work = async ({ hold }) => {
    const { existsSync } = await import('node:fs');
    console.log(\`at work: ${version}\`);
    while (hold && !existsSync(hold)) await new Promise((resolve) => setTimeout(resolve, 5));
    const late = await import('./late.mjs');
    return { version: '${version}', late: late.version, calls: ++calls, root: process.env.LAMBDA_TASK_ROOT, lease: process.env.LEASE };
  };
`;

function folderOf(version: string, file = 'index.mjs'): string {
  const folder = join(root, version);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), code(version));
  writeFileSync(join(folder, 'late.mjs'), `export const version = '${version}';`);
  return folder;
}

const work = (hold?: string) =>
  stack.invoke('Work', { hold }) as Promise<{ version: string; late: string; calls: number; lease: string }>;

beforeAll(async () => {
  const assembly = writeAssembly(
    join(root, 'assembly'),
    { Work: lambda('work', {}, { LEASE: '60' }), Other: lambda('work') },
    '',
  );
  stack = await startStack({
    assembly,
    variables: { LEASE: '5' },
    log: (line) => said.push(line),
    onInvocation: ({ requestId, environmentId }) => environments.set(requestId, environmentId),
  });
});
afterAll(async () => {
  await stack.stop();
  rmSync(root, { recursive: true, force: true });
});

test('new invocations get the new code, and a running one ends on the code it began with', async () => {
  await stack.replaceCode('Work', folderOf('one'));
  expect(await work()).toMatchObject({ version: 'one', calls: 1, lease: '5', root: join(root, 'one') });
  expect(await work()).toMatchObject({ version: 'one', calls: 2 });

  const letGo = join(root, 'let-go');
  const running = work(letGo);
  await eventually(() => said.filter((line) => line.includes('at work: one')).length === 3);
  let left = false;
  const gone = stack.replaceCode('Work', folderOf('two')).then(() => {
    left = true;
  });
  expect(await work()).toMatchObject({ version: 'two', late: 'two', calls: 1, lease: '5' });
  expect(left).toBe(false);

  writeFileSync(letGo, '');
  expect(await running).toMatchObject({ version: 'one', late: 'one', calls: 3 });
  await gone;
  // Its environment ended with its code. The next call uses the environment that had started with the new code.
  const before = environments.size;
  expect(await work()).toMatchObject({ version: 'two', calls: 2 });
  expect(environments.size).toBe(before + 1);
  expect(new Set(environments.values()).size).toBe(2);
});

test('an idle environment with the old code gets no more invocations', async () => {
  await stack.replaceCode('Work', folderOf('three'));
  await work();
  await stack.replaceCode('Work', folderOf('four'));
  expect(await work()).toMatchObject({ version: 'four', calls: 1 });
});

test('a warm environment is replaced by one with the new code in advance; without a warm one, none is started', async () => {
  await work();
  await stack.replaceCode('Other', folderOf('cold'));
  await stack.replaceCode('Work', folderOf('ahead'));
  await eventually(() => said.some((line) => line.includes('loaded: ahead')));
  expect(await work()).toMatchObject({ version: 'ahead', calls: 1 });
  expect(said.filter((line) => /loaded: (ahead|cold)/.test(line))).toHaveLength(1);
});

test('a folder without the handler is refused, and the old code stays', async () => {
  await stack.replaceCode('Work', folderOf('five'));
  expect(() => stack.replaceCode('Work', folderOf('six', 'main.mjs'))).toThrow(
    `handler index.work has no module in ${join(root, 'six')}`,
  );
  expect(await work()).toMatchObject({ version: 'five' });
});

test('a missing function is reported with the names of those that exist', () => {
  expect(() => stack.replaceCode('Wrok', folderOf('seven'))).toThrow(
    'Wrok is not the logical id of a function; there are: Work, Other',
  );
});

test('listeners keep their address from an earlier run on request, and a secret is found by its logical id', async () => {
  const assembly = writeAssembly(
    join(root, 'ports'),
    {
      Hello: lambda('hello'),
      Key: { Type: 'AWS::SecretsManager::Secret', Properties: { SecretString: 'k' } },
      ...api('First', 'HTTP', { 'GET /': 'Hello' }),
      ...api('Second', 'HTTP', { 'GET /': 'Hello' }),
      ...api('Live', 'WEBSOCKET', { $connect: 'Hello' }),
    },
    'export const hello = async () => ({ statusCode: 200 });',
  );
  const before = await startStack({ assembly });
  expect(before.ref('Key')).toMatch(/^arn:aws:secretsmanager:.*:secret:Fixture-Key-/);
  const { ports } = before;
  expect(new Set(Object.values(ports)).size).toBe(3);
  await before.stop();
  const after = await startStack({ assembly, ports });
  expect(after.ports).toEqual(ports);
  for (const port of Object.values(ports)) await fetch(`http://127.0.0.1:${port}/`);
  await after.stop();
});
