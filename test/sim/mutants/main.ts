/**
 * Applies each mutant in turn to a copy of the code and runs the simulator on it until a seed finds it: first in the
 * workload that is known to find it soonest (`found-by.ts`), then in all. Ends with a table and `mutants=N killed=N`, and fails
 * if a mutant survives.
 */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { optionsOf, refuse, whole } from '../../support/command-line.ts';
import { mutants } from './all.ts';
import { foundBy } from './found-by.ts';
import type { Mutant, Tests } from './mutant.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
/** Folders that the simulator needs. Packages are found further up. */
const copied = [
  'shared',
  'web/client',
  'test/sim',
  'test/support/strict',
  'test/support/production-builds.ts',
  'test/support/words.ts',
  'test/support/command-line.ts',
  'cli/arguments.ts',
  'cli/ends.ts',
  'package.json',
];

/** The same for the tests of a mutant that names some. */
const copiedForTests = [
  ...['agents', 'functions', 'infra', 'local', 'testing', 'tools', 'web'],
  ...['test/support', 'test/unit', 'test/contract', 'vitest.config.ts', 'tsconfig.json'],
];

const values = optionsOf(
  `npm run sim:mutants -- [options]

Runs broken versions of the protocol, which the simulator must catch, and prints a table. Fails if one survives.

  --seeds N         most seeds for a mutant (12000)
  --only PATTERN    only mutants whose names match this regular expression
  --workload W[,W]  only in these workloads
  --jobs N          mutants at once (2)`,
  {
    seeds: { type: 'string', default: '12000' },
    only: { type: 'string' },
    workload: { type: 'string' },
    jobs: { type: 'string', default: '2' },
  },
);
const seeds = whole('seeds', values.seeds);
const jobs = whole('jobs', values.jobs);

interface Outcome {
  readonly mutant: Mutant;
  /** How it was found, or why it was not. */
  readonly verdict: string;
  readonly killed: boolean;
  readonly seconds: number;
}

/** Seeds that the unchanged code must pass first. */
const HEALTHY_SEEDS = 200;

const only = new RegExp(values.only ?? '');
const chosen = mutants.filter(({ name }) => only.test(name));
if (chosen.length === 0) refuse(`No mutant's name matches ${values.only}.`);
const waiting = [...chosen];
const outcomes: Outcome[] = [];

async function work(job: number): Promise<void> {
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const outcome = await tryMutant(mutant, join(root, '.data/mutants', `${process.pid}-${job}`));
    outcomes.push(outcome);
    console.error(lineOf(outcome));
  }
}

const none = join(root, '.data/mutants', `${process.pid}-none`);
copyCode(none);
const healthy = await run(none, HEALTHY_SEEDS, values.workload);
rmSync(none, { recursive: true, force: true });
if (healthy.code !== 0) {
  console.error(`the code itself fails, so no mutant can be judged: ${healthy.output.slice(-2000)}`);
  process.exit(1);
}
await Promise.all(Array.from({ length: jobs }, (_, job) => work(job)));
const killed = outcomes.filter((outcome) => outcome.killed).length;
const slowestFirst = outcomes.toSorted(
  (a, b) => Number(a.killed) - Number(b.killed) || b.seconds - a.seconds,
);
console.log(slowestFirst.map(lineOf).join('\n'));
console.log(`mutants=${chosen.length} killed=${killed}`);
process.exit(killed === chosen.length ? 0 : 1);

function lineOf({ mutant, killed: dead, seconds, verdict }: Outcome): string {
  const cells = [
    dead ? 'killed  ' : 'SURVIVED',
    `${seconds.toFixed(1).padStart(6)} s`,
    mutant.name.padEnd(46),
  ];
  return `${cells.join('  ')}  ${verdict}`;
}

function copyCode(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const path of copied) cpSync(join(root, path), join(folder, path), { recursive: true });
}

async function tryMutant(mutant: Mutant, folder: string): Promise<Outcome> {
  const began = performance.now();
  const judged = (killed: boolean, verdict: string): Outcome => ({
    mutant,
    killed,
    verdict,
    seconds: (performance.now() - began) / 1000,
  });
  copyCode(folder);
  for (const { file, find, replace } of mutant.edits) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    const times = text.split(find).length - 1;
    if (times !== 1) return judged(false, `${file} has ${times} places like "${find}": mend the mutant`);
    writeFileSync(
      path,
      text.replace(find, () => replace),
    );
  }
  if (mutant.tests) {
    const { code, output } = await runTests(folder, mutant.tests);
    rmSync(folder, { recursive: true, force: true });
    const failed = /× (.*?)(?:\s\d+ms)?$/m.exec(output)?.[1];
    if (code === 0) return judged(false, `${mutant.tests.file} passes`);
    return failed ? judged(true, failed) : judged(false, `it does not run: ${output.slice(-500)}`);
  }
  const known = values.workload ?? foundBy[mutant.name];
  const found = known ? await run(folder, seeds, known) : undefined;
  const { code, output } = found && (found.code !== 0 || values.workload) ? found : await run(folder, seeds);
  rmSync(folder, { recursive: true, force: true });
  if (code === 0) return judged(false, `${seeds} seeds found nothing`);
  const invariant = /VIOLATION of "(.*)"/.exec(output)?.[1];
  const seed = /^seed (\d+), workload (\w+), mode (\w+)/m.exec(output);
  if (!invariant || !seed) return judged(false, `it does not run: ${output.slice(-500)}`);
  return judged(true, `seed ${seed[1]} (${seed[2]}, ${seed[3]}): ${invariant}`);
}

function runTests(folder: string, { lane, file, only }: Tests): Promise<Ended> {
  for (const path of copiedForTests) cpSync(join(root, path), join(folder, path), { recursive: true });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--project', lane, `test/${lane}/${file}`, ...(only ? ['-t', only] : [])];
  return ended(spawn(process.execPath, args, { cwd: folder, env: { ...process.env, NO_COLOR: '1' } }));
}

function run(folder: string, seeds: number, workload?: string): Promise<Ended> {
  const args = ['test/sim/main.ts', '--seeds', String(seeds)];
  if (workload) args.push('--workload', workload);
  return ended(spawn(process.execPath, args, { cwd: folder }));
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  let output = '';
  for (const pipe of [child.stdout, child.stderr]) {
    pipe.setEncoding('utf8');
    pipe.on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((done) => child.on('close', (code) => done({ code, output })));
}
