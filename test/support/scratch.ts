import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = 'steploop-tests-';

/**
 * One temporary folder for everything that a test run leaves behind. It is deleted with the run, because killed
 * processes do not clean up.
 */
export default async function scratch(): Promise<(() => Promise<void>) | undefined> {
  // Each lane calls this; the first one makes the folder.
  if (tmpdir().includes(NAME)) return undefined;
  const folder = await mkdtemp(join(tmpdir(), NAME));
  process.env.TMPDIR = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
