import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the cloud assembly with the test agents, which all tests share. */
    assembly: string;
    /** Folders of the other assemblies, by name. */
    assemblies: Readonly<Record<Other, string>>;
  }
}

/** The compute of the functions whose invocations wait: one environment each, or many in one environment. */
type Compute = 'lambda' | 'managed';

export const isCompute = (text: string): text is Compute => text === 'lambda' || text === 'managed';

/** How to deploy the test agents. */
export interface Deployment {
  readonly concurrency?: { readonly steps?: number; readonly tools?: number };
  /** By default `TEST_COMPUTE` of the environment, so that every end-to-end test can run on either. */
  readonly compute?: Compute;
  /** Queues of steps. */
  readonly lanes?: number | { readonly sends: number; readonly consumes: number };
  /** Whether everything is encrypted with a key of the stack's. */
  readonly encrypted?: boolean;
  /** Whether each tenant has a data key, which needs `encrypted`. By default `TEST_TENANT_KEYS=1` of the environment, so that every test can run so. */
  readonly tenantKeys?: boolean;
  /** The stack's name, with which all names in it begin. */
  readonly stack?: string;
}

/** Synthesizes the test agents into the folder. */
export const synthesizeTests = (folder: string, deployment: Deployment = {}): Promise<void> =>
  synthesizeAll([{ folder, ...deployment }]);

async function synthesizeAll(wanted: readonly (Deployment & { readonly folder: string })[]): Promise<void> {
  const app = ['--conditions=@steploop/source', join('test', 'support', 'app.ts'), JSON.stringify(wanted)];
  await promisify(execFile)(process.execPath, app);
}

/**
 * Runs `use` with the test agents synthesized into a temporary folder, which is deleted afterwards.
 *
 * @param isSmoke whether any deployment will do: a test that runs the script then lends its own
 */
export async function inAssembly<Result>(
  deployment: Deployment,
  use: (assembly: string) => Promise<Result>,
  isSmoke = false,
): Promise<Result> {
  const lent = isSmoke ? process.env[SHARED] : undefined;
  if (lent !== undefined) return use(join(lent, deployment.compute === 'managed' ? 'managed' : 'usual'));
  const assembly = await mkdtemp(join(tmpdir(), 'steploop-assembly-'));
  try {
    await synthesizeTests(assembly, deployment);
    return await use(assembly);
  } finally {
    await rm(assembly, { recursive: true, force: true });
  }
}

/**
 * Deployments that single tests need. Most of the cost of one is bundling, which all deployments of a process share.
 */
export const others = {
  managed: { compute: 'managed' },
  lanesRaised: { lanes: { sends: 3, consumes: 3 } },
  lanesLowered: { lanes: { sends: 1, consumes: 3 } },
  // Step environments start on the cores that also serve the senders. More of them would only start later.
  soak: { concurrency: { steps: 10 } },
  ownKey: { encrypted: true, compute: 'lambda' },
  tenantKeys: { encrypted: true, tenantKeys: true, compute: 'lambda' },
} as const satisfies Record<string, Deployment>;
type Other = keyof typeof others;

/** Where the lanes of a run, and the scripts that they start, find what the first of them synthesized. */
const SHARED = 'STEPLOOP_TEST_ASSEMBLY';

/**
 * Synthesizes the template once for all tests that start the stack, with `test/support/agents` in place of `agents/`.
 */
export default async function synthesize(project: TestProject): Promise<() => Promise<void>> {
  const there = process.env[SHARED];
  const root = there ?? (await mkdtemp(join(tmpdir(), 'steploop-assembly-')));
  const assembly = join(root, 'usual');
  const folders = Object.fromEntries(Object.keys(others).map((name) => [name, join(root, name)]));
  if (there === undefined) {
    const rest = Object.entries(others).map(([name, one]) => ({ ...one, folder: join(root, name) }));
    await synthesizeAll([{ folder: assembly }, ...rest]);
    process.env[SHARED] = root;
  }
  project.provide('assembly', assembly);
  project.provide('assemblies', folders as Record<Other, string>);
  return async () => {
    if (there !== undefined) return;
    delete process.env[SHARED];
    await rm(root, { recursive: true, force: true });
  };
}
