/** Keeps the assembly of one state of the sources: a start that changes nothing need not synthesize again. */

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Everything that an assembly of the project's own definition is made of. */
const SOURCES = [
  'steploop.config.ts',
  'agents',
  'functions',
  'infra',
  'shared',
  'package.json',
  'package-lock.json',
  'cdk.json',
];

export interface AssemblyCache {
  /** The folder of this state's assembly, if there is one. */
  readonly found: string | undefined;
  /** Moves a finished assembly in, and forgets the oldest. Returns its folder. */
  keep(folder: string): Promise<string>;
}

/** Opens the cache in `home` for the sources as they are in `root` now. */
export async function openAssemblyCache(root: string, home: string): Promise<AssemblyCache> {
  await mkdir(home, { recursive: true });
  const name = await hashOf(root);
  const folder = join(home, name);
  const there = await readdir(home);
  return {
    found: there.includes(name) ? folder : undefined,
    async keep(finished) {
      await forgetOld(home, there);
      // Another start may have been first: then theirs is the same.
      await rename(finished, folder).catch(() => undefined);
      return folder;
    },
  };
}

/** Assemblies kept: a stack that is running still loads functions from its own. */
const KEPT = 5;

async function forgetOld(home: string, names: readonly string[]): Promise<void> {
  const folders = await Promise.all(
    names.map(async (name) => ({ path: join(home, name), at: (await stat(join(home, name))).mtimeMs })),
  );
  const old = folders.sort((a, b) => b.at - a.at).slice(KEPT - 1);
  await Promise.all(old.map(({ path }) => rm(path, { recursive: true, force: true })));
}

async function hashOf(root: string): Promise<string> {
  const hash = createHash('sha256').update(process.version);
  for (const source of SOURCES) {
    for (const file of await filesIn(root, source)) {
      hash.update(`${file}\n`).update(await readFile(join(root, file)));
    }
  }
  return hash.digest('hex').slice(0, 32);
}

async function filesIn(root: string, source: string): Promise<string[]> {
  if (source.includes('.')) return [source];
  const entries = await readdir(join(root, source), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort();
}
