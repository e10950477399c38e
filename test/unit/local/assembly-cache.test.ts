import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openAssemblyCache } from '../../../local/assembly-cache.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'steploop-cache-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('an assembly is found again until a file in one of its folders changes, comes or goes', async () => {
  const folder = join(root, 'skills');
  const cache = openAssemblyCache(join(root, 'cache'));
  const facts = { node: 'v24' };
  const found = async () => (await cache.find(facts)) !== undefined;
  const keep = async () => {
    await mkdir(join(root, 'made'), { recursive: true });
    await writeFile(join(root, 'made/template.json'), '{}');
    await cache.keep(join(root, 'made'), { facts, files: [folder] });
  };
  await keep();
  expect(await found()).toBe(true);

  await mkdir(join(folder, 'refunds'), { recursive: true });
  await writeFile(join(folder, 'refunds/SKILL.md'), 'a');
  expect(await found()).toBe(false);
  await keep();
  expect(await readFile(join(String(await cache.find(facts)), 'template.json'), 'utf8')).toBe('{}');

  await writeFile(join(folder, 'refunds/SKILL.md'), 'b');
  expect(await found()).toBe(false);
  await writeFile(join(folder, 'refunds/SKILL.md'), 'a');
  expect(await found()).toBe(true);
  await rm(join(folder, 'refunds/SKILL.md'));
  expect(await found()).toBe(false);
});
