import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { readAssembly } from '../../local/stack/assembly.ts';
import { chunks } from '../../shared/aws/spent.ts';
import { embedded } from '../../test/support/embedded.ts';
import { benchModel } from '../support/model.ts';
import { type Counted, isStep, tally } from '../support/tally.ts';
import { firstRun, secondRun } from '../support/two-runs.ts';

/** The usage of a run, over all functions and services. */
export interface Used {
  readonly steps: number;
  readonly listeners: number;
  /** Mean bytes of a request to the model. */
  readonly contextBytes: number;
  /** GB-seconds and seconds of the step function, and GB-seconds of the others. */
  readonly stepGbSeconds: number;
  readonly stepSeconds: number;
  readonly otherGbSeconds: number;
  readonly invocations: number;
  readonly writes: number;
  readonly reads: number;
  readonly queueRequests: number;
  readonly pushes: number;
  readonly connectionMinutes: number;
  readonly httpRequests: number;
  readonly puts: number;
  readonly gets: number;
  readonly logKb: number;
  /** The steps' own figures (`steploop.usage`), in USD. */
  readonly toldUsd: number;
}

/** Bytes that SQS bills as one request, and API Gateway as one message. */
const REQUEST = 64 * 1024;
const FRAME = 32 * 1024;
/** Size of a first message with which a context that grows by 3 KB a step has a mean of 40 KB over 20 steps. */
const MESSAGE_BYTES = 8_000;

export interface Reference {
  /** The folder of the cloud assembly. */
  readonly assembly: string;
  readonly steps: number;
  readonly listeners: number;
  /** How long a reply takes, in ms: 8,000 for the published tables. */
  readonly speaksMs: number;
}

/**
 * One run of a session: each reply has 500 tokens of about four characters, and calls a tool of 1 KB. Counted from the
 * request that begins it until its end was published. The sweeper, which runs in any case, is left out.
 */
export async function referenceRun({ assembly, steps, listeners, speaksMs }: Reference): Promise<Used> {
  const memory = memoryIn(assembly);
  const prose = await readFile('docs/design.md', 'utf8');
  await using model = await benchModel();
  const counter = tally();
  let ended: { readonly functionId: string; readonly durationMs?: number }[] = [];
  let logBytes = 0;
  await using world = await embedded({
    assembly,
    model,
    wire: counter.wire,
    onInvocation(event) {
      if (event.kind === 'end' && !isSweep(event.functionId)) ended.push(event);
    },
    log(line) {
      if (!line.startsWith('[stack]')) logBytes += Buffer.byteLength(line.replace(/^\[[^\]]*\] /, ''));
    },
  });
  using session = await firstRun(world, model, { steps: 2, speaksMs: 0, pieces: () => ['Well.'] }, listeners);
  await pause(1_000);
  counter.begin();
  ended = [];
  logBytes = 0;
  const start = performance.now();
  // A different part of the prose each time, because repeated text would be packed too well and cost too little.
  const pieces = (step: number) => tokensOf(prose.slice(step * 700));
  const plan = { steps, speaksMs, pieces };
  const work = await secondRun(world, model, session, plan, prose.slice(0, MESSAGE_BYTES));
  // A pause instead of polling, which would be counted.
  await pause(3_000);
  const minutes = (performance.now() - start - 3_000) / 60_000;
  const counted = counter.counted.filter(({ by }) => !isSweep(by));
  const counts = { ended: [...ended], logBytes };
  const { state } = await world.session(session.id);
  if (state !== 'completed') throw new Error(`the run ended ${state}`);
  const told = (await world.events(session.id)).flatMap((event) =>
    event.type === 'CUSTOM' && event.name === 'steploop.usage' ? [event.value.infraUsd ?? 0] : [],
  );
  const seconds = (which: (name: string) => boolean, gb: (name: string) => number) =>
    counts.ended.reduce(
      (sum, { functionId, durationMs = 0 }) =>
        sum + (which(functionId) ? (gb(functionId) * durationMs) / 1_000 : 0),
      0,
    );
  const gbOf = (name: string) => (memory.get(name) ?? Number.NaN) / 1024;
  const stepEnds = counts.ended.filter(({ functionId }) => isStep(functionId)).length;
  return {
    steps,
    listeners,
    contextBytes: work.bytes.reduce((sum, bytes) => sum + bytes, 0) / work.bytes.length,
    stepGbSeconds: seconds(isStep, gbOf),
    stepSeconds: seconds(isStep, () => 1),
    otherGbSeconds: seconds((name) => !isStep(name), gbOf),
    invocations: counts.ended.length,
    writes: total(counted, ({ write }) => write),
    reads: total(counted, ({ read }) => read),
    // The mapping receives and deletes each step's message, which is billed as if we did it.
    queueRequests: requests(counted, 'sqs', REQUEST) + 2 * stepEnds,
    pushes: requests(counted, 'connections', FRAME),
    connectionMinutes: listeners * minutes,
    httpRequests: 1,
    puts: total(counted, ({ operation }) => (operation === 'PutObject' ? 1 : 0)),
    gets: total(counted, ({ operation }) => (operation === 'GetObject' ? 1 : 0)),
    logKb: counts.logBytes / 1024,
    toldUsd: told.slice(-steps).reduce((sum, usd) => sum + usd, 0),
  };
}

const isSweep = (name: string): boolean => name.includes('Sweep');

/** 500 pieces of four characters. */
const tokensOf = (text: string): string[] =>
  Array.from({ length: 500 }, (_, i) => text.slice(i * 4, i * 4 + 4) || 'word');

const total = (counted: readonly Counted[], of: (call: Counted) => number): number =>
  counted.reduce((sum, call) => sum + of(call), 0);

const requests = (counted: readonly Counted[], service: Counted['service'], size: number): number =>
  total(counted, (call) => (call.service === service ? chunks(call.bytes, size) : 0));

/** MB of each function, by its logical id. */
function memoryIn(assembly: string): Map<string, number> {
  const resources = Object.entries(readAssembly(assembly, undefined).template.Resources ?? {});
  return new Map(
    resources.flatMap(([id, { Type, Properties }]) =>
      Type === 'AWS::Lambda::Function' ? [[id, Number(Properties?.MemorySize ?? 128)] as const] : [],
    ),
  );
}
