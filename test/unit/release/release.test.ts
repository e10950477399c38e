import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
const text = (file: string) => readFileSync(join(folder, file), 'utf8');
const workspaces = ['packages/client', 'packages/create-steploop'];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steploop-release-'));
  for (const file of ['scripts/release.mjs', 'package.json', ...workspaces.map((at) => `${at}/package.json`)])
    cpSync(file, join(folder, file));
  cpSync('package-lock.json', join(folder, 'package-lock.json'));
  writeFileSync(
    join(folder, 'CHANGELOG.md'),
    '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A door.\n\n## [0.1.0] - 2026-11-01\n\n- All.\n',
  );
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'All');
});
afterEach(() => rmSync(folder, { recursive: true }));

const release = (...args: string[]) =>
  spawnSync(process.execPath, ['scripts/release.mjs', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      ...process.env,
      GIT_AUTHOR_NAME: 't',
      GIT_AUTHOR_EMAIL: 't@example.com',
      GIT_COMMITTER_NAME: 't',
      GIT_COMMITTER_EMAIL: 't@example.com',
    },
  });

test('sets the version everywhere, dates the changelog, and tags one commit', () => {
  expect(release('0.10.0')).toMatchObject({ status: 0, stderr: '' });
  for (const at of ['.', ...workspaces])
    expect(JSON.parse(text(`${at}/package.json`)).version).toBe('0.10.0');
  const { version, packages } = JSON.parse(text('package-lock.json'));
  expect([version, ...['', ...workspaces].map((at) => packages[at].version)]).toEqual(
    Array(4).fill('0.10.0'),
  );
  const today = new Date().toISOString().slice(0, 10);
  expect(text('CHANGELOG.md')).toContain(
    `## [Unreleased]\n\n## [0.10.0] - ${today}\n\n### Added\n\n- A door.`,
  );
  expect(git('status', '--porcelain')).toBe('');
  expect(git('describe', '--exact-match').trim()).toBe('v0.10.0');
});

test.each([
  { args: [], status: 2, says: '"" is no version.' },
  { args: ['1.0'], status: 2, says: '"1.0" is no version.' },
  { args: ['0.0.9'], status: 1, says: '0.0.9 is not newer than 0.1.0.' },
  { args: ['0.1.0'], status: 1, says: '0.1.0 is not newer than 0.1.0.' },
])('refuses $args, and changes nothing', ({ args, status, says }) => {
  const refused = release(...args);
  expect(refused.stderr).toContain(says);
  expect(refused.status).toBe(status);
  expect(git('status', '--porcelain')).toBe('');
});

test('refuses an empty changelog, and a tree with other changes', () => {
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  expect(release('0.2.0').stderr).toContain('There are uncommitted changes.');
  rmSync(join(folder, 'notes.txt'));
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## [Unreleased]\n\n## [0.1.0]\n\n- All.\n');
  git('commit', '--quiet', '--all', '--message', 'Nothing');
  expect(release('0.2.0').stderr).toContain('The changelog says nothing under [Unreleased].');
});
