/** `steploop eval --history`: earlier runs, for people. */

import { join, resolve } from 'node:path';
import { count, dollars, seconds } from '../../local/amounts.ts';
import { type Paint, paint } from '../../local/paint.ts';
import { printable } from '../../local/printable.ts';
import { figure } from '../../testing/evals/baseline.ts';
import type { KeptRun } from '../../testing/evals/history.ts';
import { tableLines } from '../sessions/columns.ts';
import { historyFileOf, readHistory } from './history-file.ts';
import { FOLDER } from './load.ts';
import type { EvalOptions } from './options.ts';

/** Runs that are shown, the latest ones. */
const SHOWN = 10;

/** Prints the last runs; resolves with the exit code. */
export async function showHistory(folder: string, options: EvalOptions): Promise<number> {
  const { file, runs } = await found(folder, options);
  if (options.json) for (const run of runs) console.log(JSON.stringify(run));
  else if (runs.length === 0) console.log(`No run is kept yet: steploop eval adds each one to ${file}.`);
  else
    for (const line of historyTable(runs, options.filter, paint, process.stdout.columns ?? 160))
      console.log(line);
  return 0;
}

/** The runs of the named baseline, or those with real models, or else the scripted ones. */
async function found(folder: string, { baseline, scripted }: EvalOptions) {
  const names = baseline
    ? [baseline]
    : [join(FOLDER, 'baseline.json'), join(FOLDER, 'baseline.scripted.json')];
  for (const name of scripted && !baseline ? names.slice(1) : names) {
    const file = historyFileOf(name);
    const runs = await readHistory(resolve(folder, file));
    if (runs.length > 0) return { file, runs };
  }
  return { file: historyFileOf(names.at(-1) ?? ''), runs: [] };
}

/** The last runs, and each case in them: `+` passed, `-` failed, `.` was not played; the latest run is last. Pure. */
export function historyTable(
  all: readonly KeptRun[],
  filter: string | undefined,
  paint: Paint,
  width: number,
): string[] {
  const runs = all.slice(-SHOWN);
  const table = (names: readonly string[], rows: readonly (readonly string[])[]) =>
    tableLines(names, rows, { paint, width });
  const wanted = filter?.toLowerCase() ?? '';
  const ids = [...new Set(runs.flatMap(({ cases }) => Object.keys(cases)))]
    .filter((id) => id.toLowerCase().includes(wanted))
    .toSorted();
  return [
    ...table(
      ['run (UTC)', 'passed', 'cost', 'time'],
      runs.map(({ at, ms, costUsd, cases }) => {
        const results = Object.values(cases);
        const passed = results.filter(([is]) => is).length;
        return [
          at.slice(0, 16).replace('T', ' '),
          `${passed}/${results.length}`,
          dollars(costUsd),
          seconds(ms),
        ];
      }),
    ),
    '',
    ...table(
      ['passes', 'score', 'cost', 'mean', 'time', 'mean', 'case'],
      ids.map((id) => {
        const played = runs.map(({ cases }) => (Object.hasOwn(cases, id) ? cases[id] : undefined));
        const known = played.filter((one) => one !== undefined);
        const [, score, usd, ms] = known.at(-1) ?? [0, 0, 0, 0];
        return [
          played.map((one) => (one ? (one[0] ? '+' : '-') : '.')).join(''),
          ...[figure(score), dollars(usd), dollars(mean(known.map(([, , one]) => one)))],
          ...[seconds(ms), seconds(mean(known.map(([, , , one]) => one))), printable(id)],
        ];
      }),
    ),
    '',
    `${count(all.length, 'run is', 'runs are')} kept; ${count(runs.length, 'is', 'are')} shown, the latest last.`,
  ];
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
