import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, startEngines } from '../support/real/engines.ts';
import { differences } from './differences.ts';

/** The contract suites of the adapters, with the embedded services replaced by those that this machine has. */

let engines: readonly Engine[];
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(async () => {
  await Promise.all(engines.map(({ stop }) => stop()));
});

test('the contract suites hold on other engines, but for the known differences', async ({ skip }) => {
  if (engines.length === 0) skip();
  const { failed, passed } = await runSuites(Object.assign({}, ...engines.map(({ variables }) => variables)));
  console.log(`${passed.length} tests hold on ${engines.map(({ name }) => name).join(', ')}`);
  const known = engines.flatMap(({ name }) => Object.keys(differences[name]));
  expect(failed.toSorted()).toEqual(known.toSorted());
  expect(passed.length).toBeGreaterThan(MOST_OF_THEM);
}, 600_000);

/** A run that lost its suites proves nothing. */
const MOST_OF_THEM = 1_000;
/** Thousands of calls, to measure how the layout spreads them: their times say nothing about an engine's answers. */
const LOADS = ['**/aws-sweep.test.ts', '**/aws-hot-limits.test.ts'];
/** The longest test, in ms: an engine in another process is slower. */
const LONGEST_MS = 120_000;

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

async function runSuites(variables: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'steploop-real-'));
  const report = join(folder, 'report.json');
  const suites = ['--project=contract', 'test/contract/aws', ...LOADS.map((file) => `--exclude=${file}`)];
  const how = [`--testTimeout=${LONGEST_MS}`, '--reporter=json', `--outputFile=${report}`];
  await promisify(execFile)(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...suites, ...how], {
    env: { ...process.env, ...variables },
    maxBuffer: 64 * 1024 * 1024,
  }).catch(() => undefined);
  try {
    const { testResults }: Report = JSON.parse(await readFile(report, 'utf8'));
    const broken = testResults.filter(
      ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
    );
    if (broken.length > 0)
      throw new Error(broken.map(({ name, message }) => `${name}: ${message}`).join('\n'));
    const all = testResults.flatMap(({ assertionResults }) => assertionResults);
    const names = (status: string) => all.filter((one) => one.status === status).map((one) => one.fullName);
    return { failed: names('failed'), passed: names('passed') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
