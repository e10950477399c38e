/**
 * `npm run build`: builds the package as it is installed, in dist/. JavaScript and declarations mirror the folders of the
 * sources, so that a path from one file to another is valid in both (docs/adr/0011-source-condition.md).
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { copyClient } from './client-package.mjs';
import { buildCreate } from './create-package.mjs';

if (process.argv.slice(2).some((argument) => ['--help', '-h'].includes(argument))) {
  console.log(
    'npm run build\n\nBuilds the package as it is installed, with the console, in dist/, and @steploop/client and create-steploop in packages/.',
  );
  process.exit();
}

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
// By default four checkers share the files, and each checks the imports of its files again, which takes a third more CPU.
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--checkers', '1'], {
  cwd: root,
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);

// The console, because an installed package cannot build it.
const page = spawnSync(
  process.execPath,
  ['--conditions=@steploop/source', join(root, 'scripts', 'build-console.ts')],
  { cwd: root, stdio: 'inherit' },
);
if (page.status !== 0) process.exit(page.status ?? 1);
const built = join('web', 'console', 'dist');
cpSync(join(root, built), join(dist, built), {
  recursive: true,
  filter: (path) => !path.endsWith('.sha256'),
});

// This repository's definition is removed: the functions of an installed package are bundled with the user's.
rmSync(join(dist, 'agents'), { recursive: true, force: true });
for (const ending of ['js', 'd.ts']) rmSync(join(dist, `steploop.config.${ending}`), { force: true });

cpSync(join(root, 'cli', 'init', 'template'), join(dist, 'cli', 'init', 'template'), { recursive: true });
chmodSync(join(dist, 'cli', 'main.js'), 0o755);
copyClient(dist, join(root, 'packages', 'client'));
await buildCreate(root, join(root, 'packages', 'create-steploop'));
