/** Synthesizes the CDK app in a process of its own: this one runs what comes out, and imports nothing of it. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface Assembly {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Rejects with what the app said when it fails. */
export async function synthesize(agents: string | undefined): Promise<Assembly> {
  if (agents !== undefined && !existsSync(join(agents, 'index.ts')))
    throw new Error(`${agents} has no index.ts: it must export the lists agents and webhooks`);
  const folder = await mkdtemp(join(tmpdir(), 'steploop-assembly-'));
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
