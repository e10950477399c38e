/**
 * `npm run check:packages`: whether the packages, as they are published, are right for those who install them. publint reads
 * their manifests (https://publint.dev/rules), and are-the-types-wrong resolves each entry as TypeScript does, for projects with
 * ES modules: the packages have no others.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

const USAGE = `npm run check:packages -- [TARBALL…]

Checks packed packages with publint and are-the-types-wrong. Without tarballs it builds and packs all packages of this repository.
Both tools come from the registry when they are first used.`;

/** Not among the packages of this repository: one of them brings a TypeScript of its own. */
const tools = ['--package=publint@0.3.25', '--package=@arethetypeswrong/cli@0.18.5'];

const { values, positionals } = parsed();
if (values.help) {
  console.log(USAGE);
  process.exit();
}

const scratch = mkdtempSync(join(tmpdir(), 'steploop-check-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const tarballs = positionals.length > 0 ? positionals : packed();
const wrong = tarballs.filter((tarball) => !isRight(tarball)).map((tarball) => basename(tarball));
if (wrong.length > 0) {
  console.error(`Not ready to publish: ${wrong.join(', ')}. See above.`);
  process.exit(1);
}
console.log(`${tarballs.length} packages are ready to publish.`);

function parsed() {
  try {
    const options = { help: { type: 'boolean', short: 'h' } };
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    console.error(`${error.message.split('. ')[0]}.\n\n${USAGE}`);
    process.exit(2);
  }
}

/** Packs every package: the first one builds all. */
function packed() {
  const to = ['--pack-destination', scratch, '--loglevel=error'];
  npm('pack', ...to);
  npm('pack', '--workspaces', '--ignore-scripts', ...to);
  return readdirSync(scratch).map((name) => join(scratch, name));
}

function isRight(tarball) {
  const isCommand = basename(tarball).startsWith('create-');
  return (
    npm('exec', '--yes', '--loglevel=error', ...tools, '--', 'publint', '--strict', tarball) &&
    // It only has a command, and no entry that could have types.
    (isCommand ||
      npm(
        ...['exec', '--yes', '--loglevel=error', ...tools, '--'],
        ...['attw', '--profile', 'esm-only', '--format', 'ascii', '--no-emoji', tarball],
      ))
  );
}

function npm(...args) {
  const { status } = spawnSync('npm', args, { stdio: 'inherit' });
  return status === 0;
}
