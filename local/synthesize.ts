/** Synthesizes the CDK app in a process of its own: this one runs what comes out, and imports nothing of it. */

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openAssemblyCache } from './assembly-cache.ts';
import type { Closing } from './closing.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The folder of the assembly of the sources as they are, from the cache when nothing has changed. Another definition may
 * import from anywhere, so its assembly is always made anew, and removed at the end. Rejects with what the app said when it fails.
 */
export async function synthesize(definition: string | undefined, closing: Closing): Promise<string> {
  if (definition !== undefined) return makeAssembly(definition, tmpdir(), closing);
  const home = join(root, 'node_modules', '.cache', 'steploop');
  const cache = await openAssemblyCache(root, home);
  return cache.found ?? (await cache.keep(await makeAssembly(undefined, home, closing)));
}

async function makeAssembly(
  definition: string | undefined,
  under: string,
  closing: Closing,
): Promise<string> {
  const scratch = await mkdtemp(join(under, 'steploop-synth-'));
  const folder = join(scratch, 'assembly');
  const args = ['--conditions=@steploop/source', 'infra/app.ts'];
  const child = spawn(process.execPath, args, {
    cwd: root,
    // What it leaves behind when it is killed lies here too.
    env: { ...process.env, TMPDIR: scratch, CDK_OUTDIR: folder, CDK_CONTEXT_JSON: contextOf(definition) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  closing.add('the assembly', async () => {
    // A Ctrl-C of a terminal ends it too, a signal to this process alone does not.
    if (child.exitCode === null && child.kill()) await ended.catch(() => {});
    await rm(scratch, { recursive: true, force: true });
  });
  const code = await ended;
  if (code === 0) return folder;
  throw new Error(said.trim() || `The app ended with ${code}`);
}

/** As the CDK CLI tells an app. */
const contextOf = (definition: string | undefined): string =>
  JSON.stringify(definition === undefined ? {} : { definition });
