import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { synthesizeTests } from './synthesize.ts';

/** Synthesizes the template with the test agents, and no other deployment of them. */
export default async function synthesizeUsual(project: TestProject): Promise<() => Promise<void>> {
  const assembly = await mkdtemp(join(tmpdir(), 'steploop-assembly-'));
  await synthesizeTests(assembly);
  project.provide('assembly', assembly);
  return () => rm(assembly, { recursive: true, force: true });
}
