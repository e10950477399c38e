import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = 'steploop-tests-';

/**
 * One temporary folder for everything that a test run leaves behind. It is deleted with the run, because killed
 * processes do not clean up. The programs that tests start share compiled code in it, which saves a third of the CPU of
 * short ones (https://nodejs.org/api/module.html#module-compile-cache).
 */
export default async function scratch(): Promise<(() => Promise<void>) | undefined> {
  // Each lane calls this; the first one makes the folder.
  if (tmpdir().includes(NAME)) return undefined;
  const folder = await mkdtemp(join(tmpdir(), NAME));
  process.env.TMPDIR = folder;
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled');
  // As the package does when it bundles: esbuild collects its garbage less often (infra/definition/prepare.ts).
  process.env.GOGC ??= '400';
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
