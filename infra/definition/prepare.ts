/** Loads, checks and bundles a definition synchronously, because the constructor of a construct cannot wait for a promise. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { Job, Prepared, Result } from './job.ts';
import { BUNDLE_TOGETHER, moduleOf } from './source.ts';
import { WrongDefinition } from './wrong.ts';

/** Results of this process, by job: an app with several stages uses the same functions in each. */
const known = new Map<string, Prepared>();

/**
 * @param definition path of the definition; a relative one starts at the working directory
 * @param bundles whether to bundle the functions, which takes seconds
 * @param console whether to include the console
 * @throws {WrongDefinition} with one sentence and its place
 */
export function prepare(definition: string, bundles: boolean, console = true): Prepared {
  const path = resolve(definition);
  const key = JSON.stringify([path, bundles, console]);
  const prepared = known.get(key) ?? run(path, bundles, console);
  known.set(key, prepared);
  return prepared;
}

function run(definition: string, bundles: boolean, console: boolean): Prepared {
  const folder = mkdtempSync(join(scratch(), 'definition-'));
  const together = process.env[BUNDLE_TOGETHER] === '1';
  const job = JSON.stringify({ definition, folder, bundles, together, console } satisfies Job);
  const { status, signal, error } = spawnSync(process.execPath, [moduleOf('infra/definition/main'), job], {
    // Output of the definition must not get into the output of the app.
    stdio: ['ignore', 2, 2],
    env: { ...RARELY, ...process.env },
  });
  if (error) throw error;
  const file = join(folder, 'result.json');
  // Exit code 13: a top-level await of the definition never settles.
  if ((status === 0 || status === 13) && !existsSync(file))
    throw new WrongDefinition(
      `${relative(process.cwd(), definition)}: the process ended before it was loaded. It must not call process.exit, or await a promise that never settles.`,
    );
  if (status !== 0)
    throw new Error(`The functions of ${definition} could not be bundled (${signal ?? status}).`);
  const result: Result = JSON.parse(readFileSync(file, 'utf8'));
  if ('wrong' in result) throw new WrongDefinition(result.wrong);
  return result;
}

/**
 * esbuild, written in Go, collects its garbage whenever its heap has doubled, which is a quarter of its work; here it does so
 * when the heap is five times as large (https://pkg.go.dev/runtime#hdr-Environment_Variables).
 */
const RARELY = { GOGC: '400' };

let folder: string | undefined;

/** Lives as long as the process: an app may leave its assets where they are. */
function scratch(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), 'steploop-'));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  folder = made;
  return made;
}
