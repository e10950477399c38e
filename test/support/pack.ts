import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { asAPerson } from './person.ts';

const run = promisify(execFile);

declare module 'vitest' {
  interface ProvidedContext {
    /** The published package: a tarball. */
    tarball: string;
    /** The same, unpacked: the folder with its package.json. */
    unpacked: string;
    /** The tarball of `@steploop/client`. */
    clientTarball: string;
    /** The tarball of `create-steploop`. */
    createTarball: string;
  }
}

/** Builds and packs all packages once for all their tests. */
export default async function pack(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'steploop-packed-'));
  const pack = async (...options: string[]): Promise<void> => {
    const args = ['pack', ...options, '--pack-destination', folder, '--loglevel=error'];
    await run('npm', args, { env: asAPerson(process.execPath) });
  };
  await pack();
  // The build of the package has built the others too.
  await pack('--workspaces', '--ignore-scripts');
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  const tarballOf = (name: string) => join(folder, `${name}-${version}.tgz`);
  await run('tar', ['-xzf', tarballOf('steploop')], { cwd: folder });
  project.provide('tarball', tarballOf('steploop'));
  project.provide('unpacked', join(folder, 'package'));
  project.provide('clientTarball', tarballOf('steploop-client'));
  project.provide('createTarball', tarballOf('create-steploop'));
  return () => rm(folder, { recursive: true, force: true });
}
