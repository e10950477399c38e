/**
 * The process that a `Steploop` starts: loads a definition, checks it, and bundles the functions that it needs.
 *
 * `node main.ts JOB`, where JOB is the JSON of a {@link Job}. The result is in `result.json` of the job's folder; output of the
 * definition goes to standard error.
 */

import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { wrongSkills } from '../../shared/skills/project.ts';
import { bundleFunctions } from '../bundle.ts';
import type { Job, Result } from './job.ts';
import { loadDefinition } from './load.ts';
import { neededFunctions } from './needed.ts';
import { missingPackages } from './packages.ts';
import { WrongDefinition } from './wrong.ts';

// If the parent process has been killed, no process is left to remove what this one writes, so this one stops too.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && process.exit(1), 500).unref();

const {
  definition,
  folder,
  bundles,
  together,
  console: hasConsole,
}: Job = JSON.parse(String(process.argv[2]));

async function result(): Promise<Result> {
  try {
    const facts = await loadDefinition(definition, folder);
    const wrong = [...missingPackages(facts), ...(await wrongSkills(facts.agents, dirname(definition)))];
    if (wrong.length > 0) return { wrong: wrong.join('\n') };
    if (!bundles) return { facts, bundles: {} };
    const functions = neededFunctions(facts, hasConsole);
    return { facts, bundles: await bundleFunctions({ outdir: folder, definition, functions, together }) };
  } catch (error) {
    if (error instanceof WrongDefinition) return { wrong: error.message };
    throw error;
  }
}

await writeFile(join(folder, 'result.json'), JSON.stringify(await result()));
// The definition may have opened handles that would keep the process alive.
process.exit();
