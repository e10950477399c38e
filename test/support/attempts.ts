import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder for the numbers of attempts, a file for each test file. */
    attempts: string;
  }
}

/** Prints the attempts of the lane by kind at the end of a run. */
export default async function attempts(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'steploop-attempts-'));
  project.provide('attempts', folder);
  return async () => {
    const made: Record<string, number> = Object.create(null);
    for (const file of await readdir(folder))
      for (const [kind, n] of JSON.parse(await readFile(join(folder, file), 'utf8')) as [string, number][])
        made[kind] = (made[kind] ?? 0) + n;
    await rm(folder, { recursive: true, force: true });
    const rows = Object.entries(made).sort(([a], [b]) => a.localeCompare(b));
    if (rows.length === 0) return;
    const total = rows.reduce((sum, [, n]) => sum + n, 0);
    console.log(['Attempts by kind:', ...rows.map(line), line(['all', total])].join('\n'));
  };
}

const line = ([kind, n]: readonly [string, number]): string => `${String(n).padStart(6)}  ${kind}`;
