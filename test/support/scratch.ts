import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = 'steploop-tests-';

/** One temporary folder for all that a run of the tests leaves behind, which goes with it: processes that are killed clear nothing up. */
export default async function scratch(): Promise<(() => Promise<void>) | undefined> {
  // Each lane asks for it; the first one makes it.
  if (tmpdir().includes(NAME)) return undefined;
  const folder = await mkdtemp(join(tmpdir(), NAME));
  process.env.TMPDIR = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
