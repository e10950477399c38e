/**
 * Runs before `npm start` and `npm test`: installs the packages of package-lock.json if node_modules differs from it. Silent and
 * quick if there is nothing to do. It runs under Node 20 and without dependencies, because a fresh clone has nothing else.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const inRoot = (...parts) => join(root, ...parts);

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 20) fail(`Steploop needs Node 20 or newer; this is ${process.version}.`);

const why = whyInstall();
if (why) install(why);

/** One line on why the installed packages differ from the lock; undefined if they do not. */
function whyInstall() {
  const wanted = packages('package-lock.json');
  const installed = packages('node_modules', '.package-lock.json');
  if (!wanted) fail('package-lock.json is missing or not JSON: is this a whole clone?');
  if (!installed) return 'there is no node_modules yet';
  for (const [path, entry] of wanted) {
    const have = installed.get(path);
    if (!have && entry.optional) continue; // of another platform
    if (have?.version !== entry.version)
      return `${name(path)} is ${have?.version ?? 'missing'}, and the lock says ${entry.version}`;
  }
  const extra = [...installed.keys()].find((path) => !wanted.has(path));
  if (extra) return `${name(extra)} is not in the lock`;
  if (!existsSync(nodeBinary())) return 'its Node 24 is not there';
  return undefined;
}

/** The packages of a lock by their path; undefined if the file is missing or broken. */
function packages(...file) {
  try {
    const lock = JSON.parse(readFileSync(inRoot(...file), 'utf8'));
    return new Map(
      Object.entries(lock.packages)
        // Packages of this repository are in their folders, and not among those that are installed.
        .filter(([path, { link, extraneous }]) => path.startsWith('node_modules/') && !link && !extraneous)
        .map(([path, { version, optional, devOptional }]) => [
          path,
          { version, optional: Boolean(optional || devOptional) },
        ]),
    );
  } catch {
    return undefined;
  }
}

function name(path) {
  return path.replace(/^.*node_modules\//, '');
}

/** The Node that npm scripts run on: the `node` package downloads it in its install script. */
function nodeBinary() {
  return inRoot('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

function install(reason) {
  console.error(`Installing packages: ${reason}.`);
  // npm scripts have node_modules/.bin first in their PATH, and `npm ci` deletes that Node while it runs.
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((dir) => !dir.includes('node_modules'))
    .join(delimiter);
  const { status, error } = spawnSync(
    'npm',
    ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      env: { ...process.env, PATH: path },
      stdio: 'inherit',
      shell: process.platform === 'win32',
    },
  );
  if (error) fail(`npm could not be started: ${error.message}`);
  if (status !== 0) fail('npm ci failed: see above.');
  if (!existsSync(nodeBinary()))
    fail(
      'The package `node` did not install its binary. Are install scripts off (npm config ignore-scripts)?',
    );
}

/** @returns {never} */
function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
