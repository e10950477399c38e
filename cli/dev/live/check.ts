/** Looks at a definition in a process of its own, as a deploy does: what it does when it is imported is done there. */

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job, Result } from '../../../infra/definition/job.ts';
import { moduleOf } from '../../../infra/definition/source.ts';

export type Checked =
  | Exclude<Result, { bundles: unknown }>
  | Pick<Extract<Result, { bundles: unknown }>, 'facts'>;

/**
 * The facts of a definition, or a sentence about what is wrong with it and where.
 *
 * @param folder the project, from which places are told
 * @param scratch a folder to write into
 */
export async function checkDefinition(definition: string, folder: string, scratch: string): Promise<Checked> {
  const job: Job = { definition, folder: await mkdtemp(join(scratch, 'check-')), bundles: false };
  try {
    const said = await run(job, folder);
    const result = await readFile(join(job.folder, 'result.json'), 'utf8').catch(() => undefined);
    return result === undefined
      ? { wrong: `${definition} cannot be loaded: ${said.trim()}` }
      : JSON.parse(result);
  } finally {
    await rm(job.folder, { recursive: true, force: true });
  }
}

/** Resolves with what it printed. */
function run(job: Job, folder: string): Promise<string> {
  const child = spawn(process.execPath, [moduleOf('infra/definition/main'), JSON.stringify(job)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(said));
  });
}
