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

/** Synthesizes the template once for all end-to-end tests, with `test/support/agents` in place of `agents/`. */
export default async function synthesize(project: TestProject): Promise<() => Promise<void>> {
  const assembly = await mkdtemp(join(tmpdir(), 'steploop-assembly-'));
  await synthesizeTests(assembly);
  project.provide('assembly', assembly);
  return () => rm(assembly, { recursive: true, force: true });
}
