/**
 * `npm run release -- VERSION`: makes the commit of a release. The packages are always published together, under one version, and
 * the changelog is written with each change, so a release sets the version and dates the changelog, and no more.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `npm run release -- VERSION [--dry-run]

Sets VERSION (0.2.0, or 0.2.0-beta.1) in every package and in the lock, gives the changelog's [Unreleased] that heading, and commits and tags
it. Pushing the tag publishes: .github/workflows/publish.yml.`;

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file) => readFileSync(join(root, file), 'utf8');
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

const { values, positionals } = parsed();
if (values.help) {
  console.log(USAGE);
  process.exit();
}
const [version = ''] = positionals;
const today = new Date().toISOString().slice(0, 10);
const { version: before, workspaces } = JSON.parse(read('package.json'));
const changes = released({ version, before, today, changelog: read('CHANGELOG.md') });
if (git('status', '--porcelain') !== '' && !values['dry-run']) fail('There are uncommitted changes.');

const folders = ['.', ...workspaces];
const written = {
  'CHANGELOG.md': changes,
  'package-lock.json': lockWith(read('package-lock.json')),
  ...Object.fromEntries(
    folders.map((folder) => {
      const file = join(folder, 'package.json');
      return [file, read(file).replace(`"version": "${before}"`, `"version": "${version}"`)];
    }),
  ),
};
if (values['dry-run']) {
  console.log(`${before} → ${version}: ${Object.keys(written).join(', ')}`);
  process.exit();
}
for (const [file, text] of Object.entries(written)) writeFileSync(join(root, file), text);
git('commit', '--all', '--message', `Version ${version}`);
git('tag', '--annotate', `v${version}`, '--message', `Version ${version}`);
console.log(`Committed and tagged. To publish: git push --follow-tags`);

/** The changelog with the heading of the version. */
function released({ version, before, today, changelog }) {
  if (!/^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(version)) fail(`"${version}" is no version.\n\n${USAGE}`, 2);
  if (version === before || isOlder(version, before)) fail(`${version} is not newer than ${before}.`);
  const [, unreleased = ''] = changelog.split(/^## .*$/m);
  if (!/^- /m.test(unreleased)) fail('The changelog says nothing under [Unreleased].');
  return changelog.replace('## [Unreleased]', `## [Unreleased]\n\n## [${version}] - ${today}`);
}

function isOlder(one, other) {
  const [a, b] = [one, other].map((text) => text.split('-')[0].split('.').map(Number));
  const at = a.findIndex((part, i) => part !== b[i]);
  return at >= 0 && a[at] < b[at];
}

function lockWith(text) {
  const lock = JSON.parse(text);
  lock.version = version;
  for (const folder of ['', ...workspaces]) lock.packages[folder].version = version;
  return `${JSON.stringify(lock, null, 2)}\n`;
}

function parsed() {
  try {
    const options = { help: { type: 'boolean', short: 'h' }, 'dry-run': { type: 'boolean' } };
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    fail(`${error.message.split('. ')[0]}.\n\n${USAGE}`, 2);
  }
}

/** @returns {never} */
function fail(sentence, code = 1) {
  console.error(sentence);
  process.exit(code);
}
