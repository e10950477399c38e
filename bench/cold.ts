/**
 * The cost of the step function's code in a cold start: `npm run bench:cold`.
 *
 * Imports the bundle that the construct uses as the function's asset and, for comparison, esbuild's bundle of the same entry with
 * only `bundle`, `minify` and `platform: 'node'`, in fresh processes, alternating. Read the ratio: milliseconds are this
 * machine's.
 *
 * Not measured: downloading and unpacking the asset, starting Node and Lambda's own runtime (which has loaded some of Node's
 * modules already), the first connection to each service, the chunks that are imported later, ARM, and the share of a core that
 * the function's memory buys.
 */

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Sizes, sizesOf } from '../infra/bundle/size.ts';
import { bundleFunction } from '../infra/bundle.ts';
import { env } from '../shared/contract/env.ts';
import { optionsOf, whole } from '../test/support/command-line.ts';

const HELP = `npm run bench:cold -- [options]

  --runs N            fresh processes for each bundle, at least 15 (15)
  --definition FILE   bundle this definition (steploop.config.ts)
  --functions DIR     bundle the entry points of this folder, such as those of another clone
  --smoke             one process for each bundle: whether it works, not how fast it is`;

const option = optionsOf(HELP, {
  runs: { type: 'string', default: '15' },
  definition: { type: 'string', default: 'steploop.config.ts' },
  functions: { type: 'string' },
  smoke: { type: 'boolean', default: false },
});
const runs = option.smoke ? 1 : whole('runs', option.runs, 15);
const scratch = await mkdtemp(join(tmpdir(), 'steploop-cold-'));

try {
  const ours = await candidate('ours', false);
  const naive = await candidate('naive', true);
  for (let run = 0; run < runs; run++) {
    for (const one of [ours, naive]) one.times.push(await importTime(one.entry));
  }
  report(ours, naive);
} finally {
  await rm(scratch, { recursive: true, force: true });
}

interface Candidate {
  sizes: Sizes;
  entry: string;
  times: number[];
}

async function candidate(name: string, naive: boolean): Promise<Candidate> {
  const { functions } = option;
  const definition = resolve(option.definition);
  const entryOf = functions === undefined ? undefined : (it: string) => resolve(functions, `${it}.ts`);
  const outdir = join(scratch, name);
  const { directory, metafile } = await bundleFunction('step', {
    outdir,
    definition,
    ...(entryOf && { entryOf }),
    naive,
  });
  return { sizes: sizesOf(metafile), entry: join(directory, 'index.mjs'), times: [] };
}

/** Milliseconds from the start of the import to its end, in a fresh process. */
async function importTime(entry: string): Promise<number> {
  const script = `
    const start = performance.now();
    await import(${JSON.stringify(entry)});
    process.stdout.write(String(performance.now() - start), () => process.exit());
  `;
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: lambdaEnv() });
  return Number(stdout);
}

/** Variables that Lambda and our template set, because the entry point reads them at once. */
function lambdaEnv(): Record<string, string> {
  const ofLambda = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' };
  const ofTemplate = Object.fromEntries(
    Object.values(env).map((name) => [name, name.endsWith('_PER_DAY') ? '0' : 'https://example.com/1']),
  );
  const declared = {
    SETTINGS: '{}',
    MODEL_URLS: '{}',
    SECRETS: JSON.stringify({ ANTHROPIC_API_KEY: 'arn' }),
  };
  return { ...ofTemplate, ...ofLambda, ...declared, [env.STEP_LEASE_SECONDS]: '60', [env.STEP_LANES]: '1' };
}

function report(ours: Candidate, naive: Candidate): void {
  const row = (what: string, a: number, b: number, unit: string) =>
    console.log(
      `${what.padEnd(30)}${a.toFixed(0).padStart(8)} ${unit}${b.toFixed(0).padStart(8)} ${unit}${(b / a).toFixed(2).padStart(8)}×`,
    );
  console.log(`step function, Node ${process.version}, ${runs} fresh processes each\n`);
  console.log(`${''.padEnd(30)}${'ours'.padStart(11)}${'naive'.padStart(11)}${'ratio'.padStart(9)}`);
  row('import, median', median(ours.times), median(naive.times), 'ms');
  row('import, fastest', Math.min(...ours.times), Math.min(...naive.times), 'ms');
  row('code read at a cold start', ours.sizes.eager / 1000, naive.sizes.eager / 1000, 'KB');
  row('code that may be read later', ours.sizes.lazy / 1000, naive.sizes.lazy / 1000, 'KB');
  row('all code', ours.sizes.total / 1000, naive.sizes.total / 1000, 'KB');

  console.log('\nbiggest in ours, KB');
  for (const { name, bytes, lazy } of ours.sizes.inputs.slice(0, 16)) {
    console.log(`${(bytes / 1000).toFixed(1).padStart(8)}  ${name}${lazy ? ' (later)' : ''}`);
  }
  console.log(
    '\nNot measured: download and unpacking, the start of Node and of Lambda’s runtime, first connections,',
  );
  console.log('code that is imported later, ARM, and the share of a core that the function’s memory buys.');
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
