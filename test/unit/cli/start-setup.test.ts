import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

type Packages = Record<string, { version: string; optional?: true; extraneous?: true }>;

const lock: Packages = {
  '': { version: '1.0.0' },
  'node_modules/a': { version: '1.2.3' },
  'node_modules/a/node_modules/b': { version: '2.0.0' },
  'node_modules/@x/win32': { version: '3.0.0', optional: true },
};
const { '': _root, 'node_modules/@x/win32': _other, ...onThisPlatform } = lock;

/** A project with only the script, the locks, and an `npm` that only records its arguments. */
describe('the set-up before npm start and npm test', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'steploop-setup-'));
    mkdirSync(join(root, 'bin'));
    cpSync('scripts/setup.mjs', join(root, 'scripts/setup.mjs'));
    write('package-lock.json', JSON.stringify({ packages: lock }));
    write(
      'bin/npm',
      '#!/bin/sh\necho "npm $*" > npm-was-called\nmkdir -p node_modules/node/bin\ntouch node_modules/node/bin/node\n',
    );
    chmodSync(join(root, 'bin/npm'), 0o755);
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  const install = (packages: Packages) => {
    write('node_modules/.package-lock.json', JSON.stringify({ packages }));
    write('node_modules/node/bin/node', '');
  };
  const setUp = () => {
    const path = [join(root, 'bin'), '/usr/bin', '/bin'].join(delimiter);
    const env = { ...process.env, PATH: path };
    const { status, stderr } = spawnSync(process.execPath, ['scripts/setup.mjs'], {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    const called = join(root, 'npm-was-called');
    return {
      status,
      said: stderr.trim(),
      npm: existsSync(called) ? readFileSync(called, 'utf8').trim() : undefined,
    };
  };

  test('is silent if the installed packages match the lock', () => {
    install(onThisPlatform);
    expect(setUp()).toEqual({ status: 0, said: '', npm: undefined });
  });

  test('keeps packages that were installed besides the lock', () => {
    install({ ...onThisPlatform, 'node_modules/mine': { version: '0.1.0', extraneous: true } });
    expect(setUp().npm).toBeUndefined();
  });

  test.each<[string, Packages, string]>([
    [
      'a package is missing',
      { 'node_modules/a': { version: '1.2.3' } },
      'b is missing, and the lock says 2.0.0',
    ],
    [
      'a version differs',
      { ...onThisPlatform, 'node_modules/a': { version: '1.2.4' } },
      'a is 1.2.4, and the lock says 1.2.3',
    ],
    [
      'an optional package has another version',
      { ...onThisPlatform, 'node_modules/@x/win32': { version: '2.9.9' } },
      '@x/win32 is 2.9.9, and the lock says 3.0.0',
    ],
    [
      'there is an extra package',
      { ...onThisPlatform, 'node_modules/old': { version: '1.0.0' } },
      'old is not in the lock',
    ],
  ])('installs when %s', (_what, packages, why) => {
    install(packages);
    const { status, said, npm } = setUp();
    expect(said).toBe(`Installing packages: ${why}.`);
    expect(npm).toMatch(/^npm ci --include=dev/);
    expect(status).toBe(0);
  });

  test('installs on a fresh clone', () => {
    expect(setUp()).toMatchObject({ status: 0, said: 'Installing packages: there is no node_modules yet.' });
  });

  test('installs when the Node of npm scripts is gone', () => {
    install(onThisPlatform);
    rmSync(join(root, 'node_modules/node'), { recursive: true });
    expect(setUp().said).toContain('Node 24 is not there');
  });

  test('fails when npm fails', () => {
    write('bin/npm', '#!/bin/sh\nexit 3\n');
    expect(setUp()).toMatchObject({ status: 1, said: expect.stringContaining('npm ci failed') });
  });

  test('fails without a lock', () => {
    rmSync(join(root, 'package-lock.json'));
    expect(setUp()).toMatchObject({
      status: 1,
      said: expect.stringContaining('package-lock.json is missing'),
    });
  });
});
