import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { templates } from '../../cli/init/templates.ts';
import { asAPerson, nodeOfThePath } from '../support/person.ts';

const run = promisify(execFile);
const theirs = nodeOfThePath();

/** A folder with the packages that all templates need, which the projects in it share: an install takes most of a minute. */
const root = mkdtempSync(join(tmpdir(), 'steploop-templates-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function at(folder: string, ...command: [string, ...string[]]): Promise<string> {
  const [file, ...args] = command;
  try {
    const { stdout, stderr } = await run(file, args, {
      cwd: folder,
      env: asAPerson(theirs),
      maxBuffer: 2 ** 26,
    });
    return stdout + stderr;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command.join(' ')} failed:\n${stdout}\n${stderr}`);
  }
}

const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const home = (template: string) => join(root, template);

beforeAll(async () => {
  const create = [
    'exec',
    '--yes',
    '--offline',
    `--package=${inject('createTarball')}`,
    '--',
    'create-steploop',
  ];
  for (const template of Object.keys(templates))
    await at(root, 'npm', ...create, template, '--template', template);
  const manifests = Object.keys(templates).map((template) => manifestIn(home(template)));
  const all = (kind: 'dependencies' | 'devDependencies') =>
    Object.assign({}, ...manifests.map((manifest) => manifest[kind]));
  const shared = {
    ...manifests[0],
    name: 'all-templates',
    dependencies: { ...all('dependencies'), steploop: `file:${inject('tarball')}` },
    devDependencies: all('devDependencies'),
  };
  writeFileSync(join(root, 'package.json'), JSON.stringify(shared));
  await at(root, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund');
}, 300_000);

describe.each(Object.keys(templates))('the template %s, from the packed package', (template) => {
  it('passes its tests, and type-checks', async () => {
    expect(await at(home(template), 'npm', 'test')).toMatch(/Tests.* passed/);
    await at(home(template), 'npm', 'run', 'check');
  });

  it('passes its evals, without a change from its baseline', async () => {
    const said = await at(home(template), 'npm', 'run', 'eval');
    const [, passed, of] = /(\d+) of (\d+) cases passed, with a score of 1\.00/.exec(said) ?? [];
    expect(Number(passed)).toBeGreaterThan(1);
    expect(passed).toBe(of);
    // The first project has none: its own text says how to make one.
    if (template !== 'support') expect(said).not.toContain('There is no baseline yet');
  });

  it('is synthesized', async () => {
    const out = join(home(template), 'out');
    await at(home(template), 'npm', 'exec', '--', 'steploop', 'synth', '--out', out);
  });
});

it('a definition that needs a package is refused without it, with the command that installs it', async () => {
  const stripe = join(root, 'node_modules', 'stripe');
  rmSync(stripe, { recursive: true });
  const refused = at(home('stripe-dunning'), 'npm', 'exec', '--', 'steploop', 'synth', '--out', 'without');
  await expect(refused).rejects.toThrow(
    'A webhook of the kind stripe needs the package stripe: npm install stripe',
  );
});
