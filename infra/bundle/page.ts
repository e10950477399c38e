/**
 * The console's files, next to its function. The package contains them built. In the repository they are built when their sources
 * have changed, which takes a second or two.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { home } from '../definition/source.ts';

const place = join(home, 'web', 'console');
const built = join(place, 'dist');
/** Hash of the sources of `built`. It is not served. */
const STAMP = 'sources.sha256';

/** Copies the page into a folder that does not exist yet. Rejects if the page cannot be built. */
export async function addPage(folder: string): Promise<void> {
  if (existsSync(join(place, 'vite.config.ts'))) await buildPage();
  await cp(built, folder, { recursive: true, filter: (path) => !path.endsWith(STAMP) });
}

/** Builds the page if it is stale. Several processes may do so at once: the first result stays. */
export async function buildPage(): Promise<void> {
  const wanted = await hashOfSources();
  if (await isBuiltOf(wanted)) return;
  const scratch = join(place, `dist-${process.pid}`);
  const old = `${scratch}-old`;
  try {
    const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin', 'vite.js');
    const { status, error } = spawnSync(
      process.execPath,
      [vite, 'build', place, '--outDir', scratch, '--logLevel', 'warn'],
      // Its output must not get into the output of an app.
      { stdio: ['ignore', 2, 2], cwd: home, env: { ...process.env, NODE_ENV: 'production' } },
    );
    if (error) throw error;
    if (status !== 0) throw new Error(`The console could not be built: vite ended with ${status}.`);
    await writeFile(join(scratch, STAMP), wanted);
    if (await isBuiltOf(wanted)) return;
    if (existsSync(built)) await rename(built, old);
    await rename(scratch, built);
  } finally {
    await rm(scratch, { recursive: true, force: true });
    await rm(old, { recursive: true, force: true });
  }
}

const isBuiltOf = (hash: string): Promise<boolean> =>
  readFile(join(built, STAMP), 'utf8').then(
    (text) => text === hash,
    () => false,
  );

/** Hashes everything that the page is made of: its own files, the client, the contract, and the versions of packages. */
async function hashOfSources(): Promise<string> {
  const folders = ['web/console', 'web/client', 'shared/contract'];
  const files = (
    await Promise.all(
      folders.map(async (folder) => {
        const entries = await readdir(join(home, folder), { recursive: true });
        return entries.filter((path) => !path.startsWith('dist')).map((path) => join(folder, path));
      }),
    )
  )
    .flat()
    .filter((path) => /\.(tsx?|css|html|svg|json)$/.test(path));
  const hash = createHash('sha256');
  for (const path of [...files.toSorted(), 'package-lock.json'])
    hash.update(path).update(await readFile(join(home, path)));
  return hash.digest('hex');
}
