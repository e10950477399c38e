import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stackName, wrongName } from '../../../cli/init/name.ts';
import { projectManifest } from '../../../cli/init/project.ts';
import { templates } from '../../../cli/init/templates.ts';
import { describeExport } from '../../../shared/agent/define/facts.ts';

const main = fileURLToPath(new URL('../../../cli/main.ts', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steploop-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function steploop(...args: string[]) {
  const { STEPLOOP_URL: _url, ...env } = process.env;
  return spawnSync(process.execPath, ['--conditions=@steploop/source', main, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
}

describe('steploop', () => {
  it.each([
    { args: [], status: 2, says: 'steploop COMMAND' },
    { args: ['int', 'x'], status: 2, says: 'There is no command int. Did you mean init?' },
    { args: ['constructor'], status: 2, says: 'There is no command constructor.' },
    { args: ['init'], status: 2, says: 'Name the project.' },
    { args: ['init', 'a', 'b'], status: 2, says: 'Unexpected argument "b".' },
    { args: ['init', '--force', 'a'], status: 2, says: "Unknown option '--force'." },
    { args: ['init', 'a', '--template'], status: 2, says: "Option '--template <value>' argument missing." },
    {
      args: ['init', 'a', '--template', 'constructor'],
      status: 2,
      says: 'There is no template constructor. The templates are:\n\n  support ',
    },
    { args: ['init', 'fs'], status: 2, says: 'The name fs is reserved. Choose another one: my-fs.' },
    { args: ['synth'], status: 1, says: 'There is no cdk.json in' },
    {
      args: ['sessions', 'show', 's1'],
      status: 2,
      says: 'STEPLOOP_URL is not set, and no deployment has run here.',
    },
  ])('exits with $status for $args, and says why', ({ args, status, says }) => {
    const ended = steploop(...args);
    expect(ended.stderr).toContain(says);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    expect(ended.stdout).toBe('');
    expect(ended.status).toBe(status);
  });

  it('prints its version', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(steploop('--version')).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
  });
});

describe('steploop init', () => {
  const files = (of: string) =>
    readdirSync(join(folder, of), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, of).length + 1))
      .sort();

  it('creates a project with the given name in its files, and says what to do next', () => {
    const made = steploop('init', 'my-agents');
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(made.stdout).toMatch(/cd my-agents\n {2}npm install\n/);
    expect(files('my-agents')).toEqual([
      '.env.example',
      '.gitignore',
      'README.md',
      'agents/support.ts',
      'cdk.json',
      'evals/support.eval.ts',
      'infra/app.ts',
      'package.json',
      'steploop.config.ts',
      'test/support.test.ts',
      'tsconfig.json',
    ]);
    const text = (file: string) => readFileSync(join(folder, 'my-agents', file), 'utf8');
    for (const file of files('my-agents')) expect(text(file)).not.toMatch(/\{\{|undefined/);
    expect(text('infra/app.ts')).toContain("new Stack(app, 'MyAgents')");
    expect(JSON.parse(text('package.json'))).toMatchObject({ name: 'my-agents', private: true });
    // steploop dev keeps files with secrets there.
    for (const ignored of ['.env', '.data/']) expect(text('.gitignore').split('\n')).toContain(ignored);
  });

  it('lists its templates, each with a line about it', () => {
    const { stdout } = steploop('init', '--help');
    for (const [name, { explains }] of Object.entries(templates))
      expect(stdout).toMatch(new RegExp(`^  ${name} +${explains.replaceAll(/[()]/g, '.')}$`, 'm'));
  });

  // `test/commands/templates.test.ts` plays their tests and evals with the packed package.
  it.each([
    { template: 'slack-support', agent: 'support', tells: '## Slack', packages: [] },
    { template: 'pr-reviewer', agent: 'reviewer', tells: '## GitHub', packages: [] },
    { template: 'stripe-dunning', agent: 'billing', tells: '## Stripe', packages: ['stripe'] },
    { template: 'daily-report', agent: 'writer', tells: '## The report', packages: [] },
  ])('makes $template: an agent with its test, its eval and a baseline', async ({ template, ...made }) => {
    expect(steploop('init', 'mine', '--template', template)).toMatchObject({ status: 0, stderr: '' });
    expect(files('mine')).toEqual(
      expect.arrayContaining([
        `agents/${made.agent}.ts`,
        'evals/baseline.scripted.json',
        `evals/${made.agent}.eval.ts`,
        'infra/app.ts',
        `test/${made.agent}.test.ts`,
      ]),
    );
    const text = (file: string) => readFileSync(join(folder, 'mine', file), 'utf8');
    for (const file of files('mine')) expect(text(file)).not.toMatch(/\{\{|undefined,/);
    expect(text('README.md')).toMatch(new RegExp(`^# mine\\n[^]*^${made.tells}$`, 'm'));
    const { dependencies } = JSON.parse(text('package.json'));
    for (const name of made.packages) expect(dependencies[name]).toMatch(/^\^\d/);
    const definition = await import(`../../../cli/init/template/${template}/steploop.config.ts`);
    expect(describeExport(definition.default).agents.map(({ name }) => name)).toContain(made.agent);
  });

  it('knows a folder for each template, and no other', () => {
    const folders = readdirSync('cli/init/template').filter((name) => name !== 'common');
    expect(folders.sort()).toEqual(Object.keys(templates).sort());
  });

  it('brings a Node only if the one of the machine is older than Lambda’s, and says which it was tested with', () => {
    steploop('init', 'my-agents');
    const made = JSON.parse(readFileSync(join(folder, 'my-agents', 'package.json'), 'utf8'));
    expect(made).toEqual(projectManifest('my-agents', false));
    expect(made).toMatchObject({ engines: { node: '>=24' } });
    expect(made.devDependencies).not.toHaveProperty('node');
    expect(projectManifest('my-agents', true)).toMatchObject({
      engines: { node: '>=20' },
      devDependencies: { node: expect.stringMatching(/^\^24/) },
      allowScripts: { node: true },
    });
  });

  it('accepts an empty folder that is already a repository', () => {
    steploop('init', 'inner');
    mkdirSync(join(folder, 'there', '.git'), { recursive: true });
    expect(steploop('init', 'there').status).toBe(0);
    expect(files('there')).toEqual(files('inner'));
  });

  it('writes nothing into a folder that is not empty', () => {
    mkdirSync(join(folder, 'mine'));
    writeFileSync(join(folder, 'mine', 'notes.txt'), 'mine');
    const refused = steploop('init', 'mine');
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('is not empty: it has notes.txt. Nothing was written.');
    expect(files('mine')).toEqual(['notes.txt']);
  });

  it('never overwrites a file', () => {
    writeFileSync(join(folder, 'mine'), 'mine');
    const refused = steploop('init', 'mine');
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('is a file');
    expect(readFileSync(join(folder, 'mine'), 'utf8')).toBe('mine');
  });
});

describe('the name of a project', () => {
  it.each(['my-agents', 'a', 'agents2', 'my_agents.v2', 'a'.repeat(100)])('%s is accepted', (name) =>
    expect(wrongName(name)).toBeUndefined(),
  );

  it.each([
    '../../up',
    'a/b',
    'a\\b',
    '/tmp/x',
    '.hidden',
    '-x',
    '_x',
    'My',
    'mY',
    'a b',
    'ä',
    '',
    '2x',
    'node_modules',
    'steploop',
    'http',
    'a'.repeat(101),
    "x';process.exit()//",
  ])('%s is refused with a sentence', (name) => expect(wrongName(name)).toMatch(/\.$|my-agents/));

  it('becomes a stack name without the characters that CloudFormation rejects', () => {
    expect(stackName('my-agents')).toBe('MyAgents');
    expect(stackName('my_agents.v2-')).toBe('MyAgentsV2');
  });
});
