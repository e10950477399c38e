/**
 * Applies each mutant in turn to a copy of the code and runs the simulator on it until a seed finds it:
 * `npm run sim:mutants -- [--seeds N] [--only pattern] [--jobs 2]`. Ends with `mutants=N killed=N`.
 */

import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { coreMutants } from './core.ts';
import type { Mutant } from './mutant.ts';
import { storeMutants } from './store.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
/** What the simulator needs, besides packages: those are found further up. */
const copied = ['shared', 'web/client', 'test/sim', 'package.json'];

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '8000' },
    only: { type: 'string' },
    workload: { type: 'string' },
    jobs: { type: 'string', default: '2' },
  },
});

interface Outcome {
  readonly mutant: Mutant;
  /** What found it, or why nothing did. */
  readonly verdict: string;
  readonly killed: boolean;
}

const only = new RegExp(values.only ?? '');
const chosen = [...storeMutants, ...coreMutants].filter(({ name }) => only.test(name));
const waiting = [...chosen];
const outcomes: Outcome[] = [];

async function work(job: number): Promise<void> {
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const outcome = await tryMutant(mutant, join(root, '.data/mutants', `${process.pid}-${job}`));
    outcomes.push(outcome);
    console.log(`${outcome.killed ? 'killed  ' : 'SURVIVED'} ${outcome.mutant.name}: ${outcome.verdict}`);
  }
}

const healthy = await tryMutant({ name: 'none', edits: [] }, join(root, '.data/mutants', `${process.pid}-0`));
if (healthy.killed || !healthy.verdict.endsWith('found nothing')) {
  console.error(`the code itself fails, so no mutant can be judged: ${healthy.verdict}`);
  process.exit(1);
}
await Promise.all(Array.from({ length: Number(values.jobs) }, (_, job) => work(job)));
const killed = outcomes.filter((outcome) => outcome.killed).length;
console.log(`mutants=${chosen.length} killed=${killed}`);
process.exit(killed === chosen.length ? 0 : 1);

async function tryMutant(mutant: Mutant, folder: string): Promise<Outcome> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const path of copied) cpSync(join(root, path), join(folder, path), { recursive: true });
  for (const { file, find, replace } of mutant.edits) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    const times = text.split(find).length - 1;
    if (times !== 1) {
      return {
        mutant,
        killed: false,
        verdict: `${file} has ${times} places like "${find}": mend the mutant`,
      };
    }
    writeFileSync(
      path,
      text.replace(find, () => replace),
    );
  }
  const { code, output } = await run(folder);
  rmSync(folder, { recursive: true, force: true });
  if (code === 0) return { mutant, killed: false, verdict: `${values.seeds} seeds found nothing` };
  const invariant = /VIOLATION of "(.*)"/.exec(output)?.[1];
  const seed = /^seed (\d+), workload (\w+), mode (\w+)/m.exec(output);
  if (!invariant || !seed)
    return { mutant, killed: false, verdict: `it does not run: ${output.slice(-500)}` };
  return { mutant, killed: true, verdict: `seed ${seed[1]} (${seed[2]}, ${seed[3]}): ${invariant}` };
}

function run(folder: string): Promise<{ code: number | null; output: string }> {
  const args = ['test/sim/main.ts', '--seeds', values.seeds];
  if (values.workload) args.push('--workload', values.workload);
  const child = spawn(process.execPath, args, { cwd: folder });
  let output = '';
  for (const pipe of [child.stdout, child.stderr]) {
    pipe.setEncoding('utf8');
    pipe.on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((done) => child.on('close', (code) => done({ code, output })));
}
