/**
 * The process that a `Steploop` starts: loads a definition, checks it, and bundles the functions that it needs.
 *
 * `node main.ts JOB`, where JOB is the JSON of a {@link Job}. What comes of it is in `result.json` of the job's folder;
 * what the definition itself prints goes to standard error.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleFunctions } from '../bundle.ts';
import type { Job, Result } from './job.ts';
import { loadDefinition } from './load.ts';
import { neededFunctions } from './needed.ts';
import { WrongDefinition } from './wrong.ts';

// Whoever waited for it may have been ended: then nobody removes what it writes.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && process.exit(1), 500).unref();

const { definition, folder, bundles, console: hasConsole }: Job = JSON.parse(String(process.argv[2]));

async function result(): Promise<Result> {
  try {
    const facts = await loadDefinition(definition, folder);
    if (!bundles) return { facts, bundles: {} };
    const functions = neededFunctions(facts, hasConsole);
    return { facts, bundles: await bundleFunctions({ outdir: folder, definition, functions }) };
  } catch (error) {
    if (error instanceof WrongDefinition) return { wrong: error.message };
    throw error;
  }
}

await writeFile(join(folder, 'result.json'), JSON.stringify(await result()));
// A definition may have opened what would keep the process.
process.exit();
