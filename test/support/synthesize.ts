import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the cloud assembly with the test agents. */
    assembly: string;
  }
}

/**
 * Synthesizes the test agents into the folder.
 *
 * @param stack its name, which all names in it begin with
 */
export async function synthesizeTests(
  folder: string,
  concurrency: { readonly steps?: number; readonly tools?: number } = {},
  stack = 'Steploop',
): Promise<void> {
  const app = ['--conditions=@steploop/source', join('test', 'support', 'app.ts')];
  const env = {
    ...process.env,
    CDK_OUTDIR: folder,
    TEST_STACK: stack,
    TEST_CONCURRENCY: JSON.stringify(concurrency),
  };
  await promisify(execFile)(process.execPath, app, { env });
}

/** Synthesizes the template once for all end-to-end tests, with `test/support/agents` in place of `agents/`. */
export default async function synthesize(project: TestProject): Promise<() => Promise<void>> {
  const assembly = await mkdtemp(join(tmpdir(), 'steploop-assembly-'));
  await synthesizeTests(assembly);
  project.provide('assembly', assembly);
  return () => rm(assembly, { recursive: true, force: true });
}
