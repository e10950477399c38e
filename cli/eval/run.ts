/** `steploop eval`: plays, compares, reports. */

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { Closing } from '../../local/closing.ts';
import { interrupted } from '../../local/interrupt.ts';
import { paint } from '../../local/paint.ts';
import { describeExport } from '../../shared/agent/define/facts.ts';
import { accepted, regressions, unjudged } from '../../testing/evals/baseline.ts';
import { type Playable, playable } from '../../testing/evals/check.ts';
import { keptRun } from '../../testing/evals/history.ts';
import { runCases } from '../../testing/evals/run.ts';
import { readEnvFile } from '../dev/project.ts';
import { type Values, valuesOf } from '../dev/values.ts';
import { Failed } from '../ends.ts';
import { keepBaseline, readBaseline } from './baseline-file.ts';
import { documentOf } from './document.ts';
import { historyFileOf, keepRun } from './history-file.ts';
import { junitOf } from './junit.ts';
import { evalFiles, FOLDER, type Loaded, load } from './load.ts';
import { openModels, priced } from './models.ts';
import type { EvalOptions } from './options.ts';
import { progress } from './progress.ts';
import { type Report, summaryOf, tableOf } from './report.ts';

/** Plays the cases of a project; resolves with the exit code. Rejects with {@link Failed} if nothing can be played. */
export async function runEvals(folder: string, options: EvalOptions): Promise<number> {
  return told(await playFiles(folder, options), folder, options);
}

/** Plays the cases, and compares them with the baseline. Rejects with {@link Failed} if nothing can be played. */
export async function playFiles(folder: string, options: EvalOptions): Promise<Report> {
  const closing = new Closing();
  try {
    const loaded = await load(folder, options.definition, await evalFiles(folder, options.files));
    closing.add('the built evals', () => rm(loaded.scratch, { recursive: true, force: true }));
    return await played(folder, options, loaded, closing);
  } finally {
    await closing.close();
  }
}

async function played(
  folder: string,
  options: EvalOptions,
  loaded: Loaded,
  closing: Closing,
): Promise<Report> {
  const cases = chosen(loaded, options.filter);
  const values = valuesIn(folder, options, loaded);
  const stop = new AbortController();
  void interrupted().then(() => stop.abort());
  const { definition } = loaded;
  const facts = describeExport(definition);
  const models = await openModels(definition, facts, {
    secrets: values.secrets,
    scripted: options.scripted,
    signal: stop.signal,
  });
  closing.add('the models', () => models.stop());
  const scripted = cases.some(({ agent }) => models.isScripted(agent));
  const baselineFile =
    options.baseline ?? join(FOLDER, scripted ? 'baseline.scripted.json' : 'baseline.json');
  const baseline = await readBaseline(resolve(folder, baselineFile));
  if (options.maxUsd < Number.POSITIVE_INFINITY && !scripted) await insistOnPrices(cases);
  const began = performance.now();
  const bar = progress(
    cases.length,
    Boolean(process.stdout.isTTY && process.stderr.isTTY),
    (text) => void process.stderr.write(text),
  );
  const { repeat, concurrency, maxUsd } = options;
  const run = await runCases(cases, {
    stage: {
      ...{ answer: models.answer, isReal: !scripted, priced, secrets: values.secrets },
      settings: { ...defaultsOf(definition.settings), ...values.settings },
      project: dirname(resolve(folder, options.definition)),
    },
    ...{ repeat, concurrency },
    maxUsd: scripted ? Number.POSITIVE_INFINITY : maxUsd,
    signal: stop.signal,
    now: () => performance.now(),
    told: bar.told,
  });
  bar.end();
  return {
    ...{ run, scripted, baseline },
    baselineFile: relative(process.cwd(), resolve(folder, baselineFile)),
    regressions: regressions(run, baseline, options.tolerance),
    ms: performance.now() - began,
  };
}

async function told(report: Report, folder: string, options: EvalOptions): Promise<number> {
  const { run, baseline, baselineFile } = report;
  if (options.json) console.log(JSON.stringify(documentOf(report), null, 2));
  else
    for (const line of [...tableOf(report, paint, process.stdout.columns ?? 160), '', ...summaryOf(report)])
      console.log(line);
  if (options.junit !== undefined) {
    const path = resolve(folder, options.junit);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, junitOf(report));
  }
  await keepIfPlayed(report, resolve(folder, options.baseline ?? baselineFile));
  if (options.accept && run.stopped)
    console.error('Nothing was kept as the baseline, since the run was stopped.');
  const lacking = options.accept ? unjudged(run) : undefined;
  if (lacking) {
    console.error(
      `Nothing was kept as the baseline, since "${lacking.id}" could not be judged: ${lacking.why} Run it again when the model answers.`,
    );
    return 1;
  }
  if (options.accept && !run.stopped) {
    const isPartial = options.files.length > 0 || options.filter !== undefined;
    await keepBaseline(resolve(folder, options.baseline ?? baselineFile), accepted(run, baseline, isPartial));
    console.error(`Kept as the baseline: ${baselineFile}.`);
    return 0;
  }
  if (run.stopped === 'interrupted') return 130;
  if (report.regressions.length > 0) return 1;
  return run.stopped ? 3 : 0;
}

/** A file that cannot be written, as in a read-only checkout, does not fail the run. */
async function keepIfPlayed({ run, ms }: Report, baselinePath: string): Promise<void> {
  if (run.cases.length === 0) return;
  const path = historyFileOf(baselinePath);
  try {
    await keepRun(path, keptRun(run, new Date().toISOString(), ms));
  } catch (error) {
    console.error(`The run was not added to ${path}: ${(error as Error).message}`);
  }
}

function chosen({ evals, definition }: Loaded, filter: string | undefined): Playable[] {
  const cases = refused(() => playable(evals, definition.agents));
  const wanted = filter?.toLowerCase();
  const some = cases.filter(({ id }) => wanted === undefined || id.toLowerCase().includes(wanted));
  if (some.length === 0)
    throw new Failed(`None of the ${cases.length} cases has ${JSON.stringify(filter)} in its name.`);
  return some;
}

function valuesIn(folder: string, { set, secret }: EvalOptions, { definition }: Loaded): Values {
  const values = valuesOf(describeExport(definition), {
    ...{ set, secret, environment: process.env },
    file: readEnvFile({ folder }),
  });
  for (const note of values.notes) console.error(note);
  return values;
}

const defaultsOf = (settings: Loaded['definition']['settings']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, { default: value }]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  );

async function insistOnPrices(cases: readonly Playable[]): Promise<void> {
  for (const agent of new Set(cases.map((one) => one.agent))) {
    const { model } = await priced(agent);
    if (!model.price)
      throw new Failed(
        `The price of ${model.name} is unknown, so --max-usd cannot be enforced: give the agent ${agent.name} a "model.price".`,
      );
  }
}

function refused<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new Failed((error as Error).message);
  }
}
