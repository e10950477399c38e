/** Synthesizes the CDK app in a process of its own: this one runs what comes out, and imports nothing of it. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openAssemblyCache } from './assembly-cache.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface Assembly {
  readonly folder: string;
  remove(): Promise<void>;
}

/**
 * The assembly of the sources as they are, from the cache when nothing has changed. Other agents' folders may import
 * from anywhere, so theirs is always made anew. Rejects with what the app said when it fails.
 */
export async function synthesize(agents: string | undefined): Promise<Assembly> {
  if (agents !== undefined) return makeAssembly(agents, tmpdir());
  const home = join(root, 'node_modules', '.cache', 'steploop');
  const cache = await openAssemblyCache(root, home);
  const folder = cache.found ?? (await cache.keep((await makeAssembly(undefined, home)).folder));
  return { folder, remove: async () => {} };
}

async function makeAssembly(agents: string | undefined, under: string): Promise<Assembly> {
  if (agents !== undefined && !existsSync(join(agents, 'index.ts')))
    throw new Error(`${agents} has no index.ts: it must export the lists agents and webhooks`);
  const folder = await mkdtemp(join(under, 'steploop-assembly-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const args = ['infra/app.ts', '--out', folder, ...(agents === undefined ? [] : ['--agents', agents])];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0) return { folder, remove };
  await remove();
  throw new Error(`The template could not be synthesized:\n${said.trim()}`);
}
