/**
 * The cost of a step at any age of its session: `npm run bench:age`.
 *
 * One run of that many steps on the embedded stack, with a model that refuses contexts longer than 200,000 tokens: each step
 * reads 1 KB and writes 200 characters, so from about step 500 on the context is compacted again and again. A step's time is the
 * time between two requests to the model, the median of the steps around an age. For step 10 it is that of short sessions before
 * and after the long one, because a machine's speed varies. The cost of sending a request of that age is subtracted: the same
 * bytes, posted by a thread to the same server while nothing else runs, in the same run.
 *
 * Read the ratios to step 10: milliseconds are this machine's, which also runs the services and the model. CPU includes all of
 * them, and is the figure to read if other work is running.
 */

import { Worker } from 'node:worker_threads';
import { optionsOf, whole } from '../test/support/command-line.ts';
import { type Embedded, embedded } from '../test/support/embedded.ts';
import { type NarrowModel, narrowModel, type Work } from '../test/support/narrow-model.ts';
import { inAssembly } from '../test/support/synthesize.ts';

const HELP = `npm run bench:age -- [options]

  --steps N   steps of the long session, at least 200 (5000: about ten minutes)
  --smoke     40 steps: whether it works, not how fast it is`;

const option = optionsOf(HELP, {
  steps: { type: 'string', default: '5000' },
  smoke: { type: 'boolean', default: false },
});
const steps = option.smoke ? 40 : whole('steps', option.steps, 200);
const WINDOW = 200_000;
/** Measured steps before and after an age. */
const AROUND = option.smoke ? 5 : 50;
/** Warm-up steps in a separate session, so that the measurement does not include compilation. */
const WARM = option.smoke ? 5 : 200;
/** Short sessions before the long one, and as many after it. */
const SHORT = option.smoke ? 1 : 5;

/** A thread that sends a body repeatedly, as the SDK does, and reports the cost of one request. */
const SENDER = `
  const { parentPort, workerData: { url, body } } = require('node:worker_threads');
  const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  const send = async () => {
    const start = performance.now();
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await response.text();
    return performance.now() - start;
  };
  (async () => {
    for (let n = 0; n < 50; n++) await send();
    const times = [];
    const before = process.cpuUsage();
    for (let n = 0; n < 100; n++) times.push(await send());
    const { user, system } = process.cpuUsage(before);
    parentPort.postMessage({ ms: median(times), cpu: (user + system) / 1000 / times.length });
  })();
`;

async function measure(assembly: string): Promise<void> {
  await using model = await narrowModel(WINDOW);
  await using world = await embedded({ model, assembly });
  const run = async (most: number, keep?: readonly number[]) => {
    const work = model.begin(most, keep);
    await complete(world, most);
    return work;
  };
  const short = async () => costOf((await run(20)).asked.slice(4));
  await run(WARM);
  const young = [];
  for (let n = 0; n < SHORT; n++) young.push(await short());
  const ages = [...[200, 1_000].filter((age) => age < steps - AROUND), steps - AROUND];
  const old = await run(steps, ages);
  for (let n = 0; n < SHORT; n++) young.push(await short());
  const { kept } = await run(20, [10]);

  const { summaries, refused } = old;
  console.log(
    `${steps} steps, ${summaries.length} summaries, ${refused.length} requests refused as too long\n`,
  );
  row('step', 'request KB', 'ms', 'sending', 'own', 'ratio', 'CPU ms', 'sending', 'own', 'ratio');
  const tenth = { ms: median(young.map(({ ms }) => ms)), cpu: median(young.map(({ cpu }) => cpu)) };
  const first = await show(model, 10, tenth, kept.get(10));
  for (const age of ages) {
    await show(model, age, costOf(old.asked.slice(age - AROUND, age + AROUND)), old.kept.get(age), first);
  }
}

/** Cost of one step or one request in ms: the median of the elapsed time, and the mean of the CPU time of all cores. */
interface Cost {
  readonly ms: number;
  readonly cpu: number;
}

/** Prints the cost of a step next to that of sending its request, and returns it. */
async function show(model: NarrowModel, age: number, took: Cost, body = '', first?: Cost): Promise<Cost> {
  const sending = await costOfSending(model, body);
  const own = { ms: took.ms - sending.ms, cpu: took.cpu - sending.cpu };
  const of = first ?? own;
  row(
    ...[age, (body.length / 1_000).toFixed(0)],
    ...[took.ms, sending.ms, own.ms].map((ms) => ms.toFixed(1)),
    `${(own.ms / of.ms).toFixed(2)}×`,
    ...[took.cpu, sending.cpu, own.cpu].map((ms) => ms.toFixed(1)),
    `${(own.cpu / of.cpu).toFixed(2)}×`,
  );
  return own;
}

const row = (...cells: readonly (string | number)[]): void =>
  console.log(cells.map((cell) => String(cell).padStart(11)).join(''));

/** Runs a session to its end. */
async function complete(world: Embedded, most: number): Promise<void> {
  const asked = { agent: 'lifelong', message: 'Look at all pages.' };
  const { status, body } = await world.api('POST', '/sessions', asked);
  if (status !== 201) throw new Error(`POST /sessions: ${status} ${JSON.stringify(body)}`);
  const { state, reason } = await world.atRest(body.sessionId, 60 + most);
  if (state !== 'completed') throw new Error(`the run ended ${state}: ${reason}`);
}

/** The cost of consecutive steps. */
function costOf([first, ...more]: Work['asked']): Cost {
  if (!first) throw new Error('there are no such steps');
  const times = more.map(({ at }, i) => at - (more[i - 1] ?? first).at);
  return { ms: median(times), cpu: ((more.at(-1)?.cpu ?? 0) - first.cpu) / more.length };
}

/** The cost of a thread, such as the step function, that sends a body to the model's server and gets a short answer. */
async function costOfSending({ nothing: url }: NarrowModel, body: string): Promise<Cost> {
  const worker = new Worker(SENDER, { eval: true, workerData: { url, body } });
  try {
    return await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  } finally {
    await worker.terminate();
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

await inAssembly({}, measure, option.smoke);
