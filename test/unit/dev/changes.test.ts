import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Changes, watchFiles } from '../../../cli/dev/live/changes.ts';

let root: string;
let project: string;
let changes: Changes;
const told: string[] = [];

beforeEach(async () => {
  told.length = 0;
  root = realpathSync(mkdtempSync(join(tmpdir(), 'changes-')));
  project = join(root, 'project');
  for (const folder of ['agents', 'node_modules/a', 'cdk.out', '.git', 'state'])
    mkdirSync(join(project, folder), { recursive: true });
  mkdirSync(join(root, 'library'));
  write('project/agents/support.ts');
  write('library/prices.ts');
  changes = await watchFiles(project, [join(project, 'state')], (paths) => {
    for (const path of paths) told.push(path.slice(root.length + 1));
  });
});
afterEach(async () => {
  await changes.close();
  rmSync(root, { recursive: true, force: true });
});

const write = (path: string) => writeFileSync(join(root, path), String(Math.random()));
const isTold = (path: string) => vi.waitFor(() => expect(told).toContain(path), { timeout: 10_000 });

test('edits, new files and .env are reported; installed, built, hidden and state files are not', async () => {
  for (const path of ['node_modules/a/index.js', 'cdk.out/manifest.json', '.git/HEAD', 'state/db'])
    write(`project/${path}`);
  write('project/agents/support.ts');
  await isTold('project/agents/support.ts');
  write('project/agents/new.ts');
  await isTold('project/agents/new.ts');
  write('project/.env');
  await isTold('project/.env');
  expect(told.filter((path) => !/agents|\.env/.test(path))).toEqual([]);
});

test('a file outside of the project is reported once it is watched by name', async () => {
  changes.also([join(root, 'library/prices.ts'), join(project, 'agents/support.ts')]);
  await vi.waitFor(
    () => {
      write('library/prices.ts');
      expect(told).toContain('library/prices.ts');
    },
    { timeout: 10_000, interval: 200 },
  );
});

test('an edit right after a reported one is reported as well', async () => {
  // A formatter rewrites a file as soon as it is saved, and a person corrects a build that failed at once.
  for (const afterMs of [0, 3, 6, 10, 15, 25, 40]) {
    const path = 'project/agents/support.ts';
    told.length = 0;
    write(path);
    await vi.waitFor(() => expect(told).toContain(path), { timeout: 10_000, interval: 1 });
    await pause(afterMs);
    told.length = 0;
    write(path);
    await isTold(path);
    await pause(100);
  }
});
