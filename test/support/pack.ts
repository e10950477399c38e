import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
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
  }
}

/** Builds and packs both packages once for all their tests. */
export default async function pack(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'steploop-packed-'));
  const { stdout } = await run('npm', ['pack', '--pack-destination', folder, '--loglevel=error'], {
    env: asAPerson(process.execPath),
  });
  const name = stdout.trim().split('\n').at(-1) ?? '';
  // The build of the package has built this one too.
  const client = await run(
    'npm',
    [
      'pack',
      '--workspace=@steploop/client',
      '--ignore-scripts',
      '--pack-destination',
      folder,
      '--loglevel=error',
    ],
    { env: asAPerson(process.execPath) },
  );
  await run('tar', ['-xzf', name], { cwd: folder });
  project.provide('tarball', join(folder, name));
  project.provide('unpacked', join(folder, 'package'));
  project.provide('clientTarball', join(folder, client.stdout.trim().split('\n').at(-1) ?? ''));
  return () => rm(folder, { recursive: true, force: true });
}
