import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleFunctions } from '../../infra/bundle.ts';
import { prepare } from '../../infra/definition/prepare.ts';
import { WrongDefinition } from '../../infra/definition/wrong.ts';
import { unaskedCalls } from '../../infra/unasked.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'steploop-definition-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** A definition with this text, in its own folder. */
async function definition(name: string, source: string): Promise<string> {
  const folder = join(root, name.replaceAll(/\W+/g, '-'));
  await mkdir(folder);
  const file = join(folder, 'index.ts');
  await writeFile(file, source);
  return file;
}

function said(file: string): string {
  try {
    prepare(file, false);
  } catch (error) {
    expect(error).toBeInstanceOf(WrongDefinition);
    return (error as Error).message;
  }
  throw new Error('nothing was wrong');
}

describe('a definition', () => {
  test.each(['steploop.config.ts', 'test/support/agents/index.ts'])('is valid: %s', (file) => {
    expect(prepare(file, false).facts.agents.length).toBeGreaterThan(0);
  });

  test('must be a file', () => {
    expect(said(join(root, 'absent.ts'))).toContain('absent.ts: there is no such file');
    expect(said(root)).toContain('is not a file');
  });

  test.each([
    [
      'an import that is not there',
      "import x from './nothere.ts';\nexport default x;",
      /index\.ts:1:15: Could not resolve/,
    ],
    ['half a file', 'export default defineD(', /index\.ts:1:24: Unexpected end of file/],
    ['an error when it is loaded', "\nthrow new Error('no key');", /index\.ts:2:7: no key$/],
    ['what is not an error', "throw 'no key';", /index\.ts: no key$/],
    [
      'no default export',
      'export const agents = [];',
      /index\.ts: the default export must be made by defineDeployment/,
    ],
    [
      'another default export',
      'export default { agents: [] };',
      /index\.ts: the default export must be made by/,
    ],
    [
      'an agent of no entry',
      "import { defineAgnt } from 'steploop';\ndefineAgnt({});",
      /index\.ts:1:10: No matching export/,
    ],
  ])('with an error says where it is: %s', async (name, source, message) => {
    expect(said(await definition(name, source))).toMatch(message);
  });

  const agent = (more = '') =>
    `defineAgent({ name: 'x', version: '1', model: { name: 'm' }, system: 's', ${more} })`;

  test('with a typo in an agent names the agent and the error', async () => {
    const file = await definition(
      'typo',
      `import { defineAgent, defineDeployment } from 'steploop';
      export default defineDeployment({ agents: [
        ${agent('tols: []')},
      ] });`,
    );
    expect(said(file)).toMatch(/^\S*index\.ts:3:\d+: agent x:\n.*tols/s);
  });

  test('whose policy has an expression that RE2 rejects names the rule', async () => {
    const policy = (matches: string) =>
      `import { defineAgent, defineDeployment, definePolicy } from 'steploop';
      const policy = definePolicy({ name: 'p', rules: [{ name: 'r', decision: 'forbid', tools: ['*'],
        when: [{ argument: 'command', matches: ${JSON.stringify(matches)} }] }] });
      export default defineDeployment({ agents: [${agent('policyBy: { role: { intern: policy } }')}] });`;
    const wrong = await definition('pattern', policy('(?=secret)'));
    expect(said(wrong)).toMatch(
      /index\.ts\S*: agent x: rule p\.r asks whether command matches "\(\?=secret\)", which cannot be used: This is no regular expression/,
    );
    const right = await definition('right-pattern', policy('^(?i)secret'));
    expect(prepare(right, false).facts.agents).toHaveLength(1);
  });

  test('that names undeclared secrets says where it does, with a line for each', async () => {
    const tool = `defineTool({ name: 't', description: 'd', effect: 'read', input: z.object({}), run: () => 1,
        secrets: ['BANK_KEY'] })`;
    const file = await definition(
      'undeclared',
      `import { defineAgent, defineDeployment, defineTool } from 'steploop';
      import * as z from 'zod';
      const agents = [${agent(`tools: [${tool}]`)}, ${agent()}];
      export default defineDeployment({ agents });`,
    );
    expect(said(file)).toMatch(
      /^\S*index\.ts:5:\d+: agents: two are named x\nagent x, tool t, secrets: BANK_KEY is not declared under secrets$/,
    );
  });

  test('may print', async () => {
    const source = `import definition from ${JSON.stringify(resolve('steploop.config.ts'))};
      console.log('{"not":"a result"}');
      export default definition;`;
    expect(prepare(await definition('prints', source), false).facts.agents).toHaveLength(2);
  });

  test.each([
    ['leaves', 'process.exit(0);'],
    ['waits for ever', 'await new Promise(() => {});'],
  ])('that %s is told so', async (name, source) => {
    expect(said(await definition(name, source))).toMatch(/index\.ts: the process ended before it was/);
  });

  test('with an error ends an app with just its sentence, and exit code 1', async () => {
    const file = await definition('app', "throw new Error('no key');");
    const app = join(root, 'app.ts');
    await writeFile(
      app,
      `import { App, Stack } from ${JSON.stringify(import.meta.resolve('aws-cdk-lib'))};
      import { Steploop } from ${JSON.stringify(resolve('infra/index.ts'))};
      new Steploop(new Stack(new App({ outdir: ${JSON.stringify(join(root, 'out'))} }), 'S'), 'Agents', { definition: ${JSON.stringify(file)} });`,
    );
    const { status, stderr, stdout } = spawnSync(process.execPath, [app], { encoding: 'utf8' });
    expect({ status, stderr, stdout }).toEqual({
      status: 1,
      stderr: `${relative(process.cwd(), file)}:1:7: no key\n`,
      stdout: '',
    });
  });
});

describe('a synthesis', () => {
  test('warns once about tools that start without asking a person, so that this can be acknowledged', () => {
    const { facts } = prepare('steploop.config.ts', false);
    expect(unaskedCalls(facts)).toEqual([
      {
        code: 'steploop:unasked:triage',
        sentence: 'The agent triage calls tools that must not run twice without asking a person: comment.',
      },
    ]);
  });

  test('is the same every time for the same sources', async () => {
    const files = async (outdir: string) => {
      const bundles = await bundleFunctions({
        ...{ outdir, definition: resolve('steploop.config.ts'), functions: ['step', 'sweep'] },
      });
      const folders = Object.values(bundles);
      const names = await Promise.all(folders.map(async (folder) => (await readdir(folder)).sort()));
      return Promise.all(
        folders.flatMap((folder, i) =>
          (names[i] ?? []).map(async (name) => [name, await readFile(join(folder, name), 'utf8')]),
        ),
      );
    };
    const first = await files(join(root, 'first'));
    expect(first.length).toBeGreaterThan(4);
    expect(await files(join(root, 'again'))).toEqual(first);
  });
});
