import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished, test } from 'vitest';
import { asAPerson, nodeOfThePath } from '../support/person.ts';

const run = promisify(execFile);
const tarballs = [inject('tarball'), inject('clientTarball'), inject('createTarball')];

test('all packages are right for those who install them, as publint and are-the-types-wrong see it', async () => {
  const { stdout } = await run(process.execPath, ['scripts/check-packages.mjs', ...tarballs], {
    env: asAPerson(process.execPath),
    maxBuffer: 2 ** 26,
  });
  expect(stdout).toContain('3 packages are ready to publish.');
});

test('create-steploop is small, needs no other package, and makes the same project as steploop init', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steploop-create-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [, , create = ''] = tarballs;
  expect(statSync(create).size).toBeLessThan(100_000);
  const theirs = nodeOfThePath();
  const at = (file: string, ...args: string[]) => run(file, args, { cwd: folder, env: asAPerson(theirs) });
  // What `npm create steploop` does with a package of the registry.
  const exec = ['exec', '--yes', '--offline', `--package=${create}`, '--', 'create-steploop'];
  await at('npm', ...exec, 'created', '--template', 'stripe-dunning');
  await at(
    theirs,
    join(inject('unpacked'), 'dist/cli/main.js'),
    'init',
    'init',
    '--template',
    'stripe-dunning',
  );
  const files = (of: string) =>
    readdirSync(join(folder, of), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, of).length + 1))
      .sort();
  expect(files('created')).toEqual(files('init'));
  const text = (file: string) => readFileSync(join(folder, file), 'utf8');
  for (const file of files('init'))
    expect(text(`created/${file}`)).toBe(
      text(`init/${file}`)
        .replaceAll(/\binit\b/g, 'created')
        .replace("'Init'", "'Created'"),
    );
  await expect(at('npm', ...exec, 'Created')).rejects.toThrow('must begin with a lower-case letter');
});
