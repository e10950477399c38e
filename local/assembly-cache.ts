/** Caches assemblies together with their inputs, so that a start with unchanged inputs need not synthesize again. */

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface MadeOf {
  /** Inputs that are not files: versions, the command. */
  readonly facts: Readonly<Record<string, string>>;
  /** Absolute paths of files, and of folders with everything in them. A missing one is an input too. */
  readonly files: readonly string[];
}

export interface AssemblyCache {
  /** The folder of an assembly that was made of these facts and of files that have not changed since. */
  find(facts: MadeOf['facts']): Promise<string | undefined>;
  /** Moves a finished assembly in, and drops the oldest. Returns its folder. */
  keep(folder: string, of: MadeOf): Promise<string>;
}

interface Recipe {
  readonly facts: MadeOf['facts'];
  /** Hashes by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** Cached assemblies: a running stack still loads functions from its own. */
const KEPT = 5;

export function openAssemblyCache(home: string): AssemblyCache {
  return {
    async find(facts) {
      for (const name of await names(home)) {
        const recipe = await readRecipe(join(home, name, 'made-of.json'));
        if (recipe && JSON.stringify(recipe.facts) === JSON.stringify(facts) && (await isSame(recipe)))
          return join(home, name, 'assembly');
      }
      return undefined;
    },
    async keep(finished, { facts, files }) {
      const recipe: Recipe = { facts, files: await hashes(files) };
      const text = JSON.stringify(recipe);
      const folder = join(home, createHash('sha256').update(text).digest('hex').slice(0, 32));
      await forgetOld(home);
      await mkdir(folder, { recursive: true });
      // Another start may have been first: its assembly is the same, and may already be in use.
      await rename(finished, join(folder, 'assembly')).catch(() => undefined);
      await writeFile(join(folder, 'made-of.json'), text);
      return join(folder, 'assembly');
    },
  };
}

const names = (home: string): Promise<string[]> =>
  readdir(home).then(
    (all) => all.filter((name) => /^[0-9a-f]{32}$/.test(name)),
    () => [],
  );

async function forgetOld(home: string): Promise<void> {
  const folders = await Promise.all(
    (await names(home)).map(async (name) => ({
      path: join(home, name),
      at: (await stat(join(home, name))).mtimeMs,
    })),
  );
  const old = folders.sort((a, b) => b.at - a.at).slice(KEPT - 1);
  await Promise.all(old.map(({ path }) => rm(path, { recursive: true, force: true })));
}

const readRecipe = (file: string): Promise<Recipe | undefined> =>
  readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Recipe,
    () => undefined,
  );

async function isSame({ files }: Recipe): Promise<boolean> {
  const now = await hashes(Object.keys(files));
  return Object.entries(files).every(([path, hash]) => now[path] === hash);
}

async function hashes(files: readonly string[]): Promise<Record<string, string>> {
  const entries = files.map(async (file) => {
    const content = await readFile(file).catch(() => listingOf(file));
    return [file, content ? createHash('sha256').update(content).digest('hex') : 'none'] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** The files in a folder with the hashes of their contents; undefined if there is no such folder. */
async function listingOf(folder: string): Promise<string | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => undefined);
  const files = entries
    ?.filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return files && JSON.stringify(Object.entries(await hashes(files.sort())));
}
