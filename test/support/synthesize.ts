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

/** What the functions whose invocations wait run on: each of their own, or many in one environment. */
type Compute = 'lambda' | 'managed';

export const isCompute = (text: string): text is Compute => text === 'lambda' || text === 'managed';

/** How to deploy the test agents. */
export interface Deployment {
  readonly concurrency?: { readonly steps?: number; readonly tools?: number };
  /** `TEST_COMPUTE` of the environment when absent, so that every end-to-end test can be run on either. */
  readonly compute?: Compute;
  /** Queues of steps. */
  readonly lanes?: number | { readonly sends: number; readonly consumes: number };
  /** The stack's name, which all names in it begin with. */
  readonly stack?: string;
}

/** Synthesizes the test agents into the folder. */
export async function synthesizeTests(
  folder: string,
  { concurrency = {}, compute, lanes, stack = 'Steploop' }: Deployment = {},
): Promise<void> {
  const app = ['--conditions=@steploop/source', join('test', 'support', 'app.ts')];
  const env = {
    ...process.env,
    CDK_OUTDIR: folder,
    TEST_STACK: stack,
    TEST_CONCURRENCY: JSON.stringify(concurrency),
    ...(compute && { TEST_COMPUTE: compute }),
    ...(lanes && { TEST_LANES: JSON.stringify(lanes) }),
  };
  await promisify(execFile)(process.execPath, app, { env });
}

/** Does something with the test agents synthesized into a folder of their own, which goes afterwards. */
export async function inAssembly<Result>(
  deployment: Deployment,
  use: (assembly: string) => Promise<Result>,
): Promise<Result> {
  const assembly = await mkdtemp(join(tmpdir(), 'steploop-assembly-'));
  try {
    await synthesizeTests(assembly, deployment);
    return await use(assembly);
  } finally {
    await rm(assembly, { recursive: true, force: true });
  }
}

/** Where the lanes of one run find what the first of them has synthesized: each loads this file anew. */
const SHARED = 'STEPLOOP_TEST_ASSEMBLY';

/** Synthesizes the template once for all tests that start the stack, with `test/support/agents` in place of `agents/`. */
export default async function synthesize(project: TestProject): Promise<() => Promise<void>> {
  const there = process.env[SHARED];
  const assembly = there ?? (await mkdtemp(join(tmpdir(), 'steploop-assembly-')));
  if (there === undefined) {
    await synthesizeTests(assembly);
    process.env[SHARED] = assembly;
  }
  project.provide('assembly', assembly);
  return async () => {
    if (there !== undefined) return;
    delete process.env[SHARED];
    await rm(assembly, { recursive: true, force: true });
  };
}
