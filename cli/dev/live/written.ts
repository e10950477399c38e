/** Writes esbuild's output without overwriting a file that may still be imported. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { OutputFile } from 'esbuild';

/**
 * Each entry goes to a folder that is named after its content; names of chunks depend on their content already. So an edit writes
 * few files.
 *
 * @param entries names of the entries: each was built to `<outdir>/<name>/index.mjs`
 * @returns the folder of each entry, by name
 */
export async function written(
  files: readonly OutputFile[],
  entries: readonly string[],
  outdir: string,
): Promise<Record<string, string>> {
  const folders = Object.fromEntries(
    entries.map((name) => {
      const entry = files.find(({ path }) => path === join(outdir, name, 'index.mjs'));
      if (!entry) throw new Error(`${name} was not built`);
      return [name, join(outdir, `${name}-${versionOf(entry.contents)}`)];
    }),
  );
  await Promise.all(Object.values(folders).map((folder) => mkdir(folder, { recursive: true })));
  await Promise.all(
    files.map(({ path, contents }) => {
      const to = dirname(path) === outdir ? undefined : folders[basename(dirname(path))];
      const file = to ? join(to, basename(path)) : path;
      return existsSync(file) ? undefined : writeFile(file, contents);
    }),
  );
  return folders;
}

/** A short hash of the contents. */
export const versionOf = (contents: string | Uint8Array): string =>
  createHash('sha256').update(contents).digest('hex').slice(0, 12);
