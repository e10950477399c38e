import { setTimeout as pause } from 'node:timers/promises';
import { type Embedded, embedded } from '../../test/support/embedded.ts';
import { watch } from '../../test/support/watcher.ts';
import { type BenchModel, benchModel, type Plan } from '../support/model.ts';
import { type Counted, tally } from '../support/tally.ts';
import { STEPS, TEXT } from './workload.ts';

/**
 * The service calls of a step, by what they are about, and its write units: those that the step function sends, and the message
 * that is received and deleted for it.
 *
 * @param long also of a step whose model speaks for 8 s
 */
export async function showCalls(assembly: string, long: boolean): Promise<void> {
  const nobody = await countRun(assembly, shortReplies, STEPS, 0);
  const one = await countRun(assembly, shortReplies, STEPS, 1);
  const wide = long ? await countRun(assembly, longReplies, 5, 1) : undefined;
  const runs = [nobody, one, ...(wide ? [wide] : [])];

  console.log('Calls of a step by service and what they are about\n');
  row('', 'nobody', 'one listener', ...(wide ? ['8 s, one'] : []));
  const kinds = [...new Set(runs.flatMap(({ calls }) => [...calls.keys()]))].sort();
  for (const kind of kinds) row(kind, ...runs.map(({ calls }) => figure(calls.get(kind))));
  row('calls without pushes', ...runs.map(({ calls }) => figure(sum(calls, (kind) => !isPush(kind)))));
  row('pushes', ...runs.map(({ calls }) => figure(sum(calls, isPush))));
  row('write units', ...runs.map(({ write }) => figure(write)));
  row('read units', ...runs.map(({ read }) => figure(read)));
}

interface CountedRun {
  /** How often a step makes each kind of call. */
  readonly calls: ReadonlyMap<string, number>;
  readonly read: number;
  readonly write: number;
}

/** As the floor's: all at once. */
const shortReplies = { speaksMs: 0, pieces: () => [TEXT] };
/** 500 tokens over 8 s. */
const longReplies = { speaksMs: 8_000, pieces: () => new Array<string>(500).fill('word') };

async function countRun(
  assembly: string,
  replies: Omit<Plan, 'steps'>,
  steps: number,
  listeners: number,
): Promise<CountedRun> {
  await using model = await benchModel();
  const counter = tally();
  let invocations = 0;
  await using world = await embedded({
    model,
    assembly,
    wire: counter.wire,
    onInvocation({ kind, functionId }) {
      if (kind === 'end' && isStep(functionId)) invocations += 1;
    },
  });
  // Its first run is not counted: whoever listens does so from the second run's first step on.
  const id = await begin(world, model, { ...shortReplies, steps: 3 });
  using watchers = new DisposableStack();
  for (let n = 0; n < listeners; n++) {
    const watcher = watchers.use(watch(world, id));
    await watcher.seen(({ type }) => type === 'RUN_FINISHED');
  }
  await pause(500);
  counter.begin();
  invocations = 0;
  await goOn(world, model, id, { ...replies, steps });
  await pause(500);
  if (invocations < steps) throw new Error(`${invocations} invocations for ${steps} steps`);
  return perStep(counter.counted, invocations, steps);
}

async function begin(world: Embedded, model: BenchModel, plan: Plan): Promise<string> {
  const { over } = model.begin('first', plan);
  const asked = { agent: 'enduring', message: 'Look at all pages. RUN<first>' };
  const { status, body } = await world.api('POST', '/sessions', asked);
  if (status !== 201) throw new Error(`POST /sessions: ${status} ${JSON.stringify(body)}`);
  await over;
  await completed(world, body.sessionId);
  return body.sessionId;
}

async function goOn(world: Embedded, model: BenchModel, id: string, plan: Plan): Promise<void> {
  const { over } = model.begin('second', plan);
  const message = { message: 'Look at them again. RUN<second>' };
  const { status, body } = await world.api('POST', `/sessions/${id}/messages`, message);
  if (status >= 300) throw new Error(`POST /messages: ${status} ${JSON.stringify(body)}`);
  await over;
  await completed(world, id);
}

async function completed(world: Embedded, id: string): Promise<void> {
  const { state, reason } = await world.atRest(id);
  if (state !== 'completed') throw new Error(`the run ended ${state}: ${reason}`);
}

/** @param invocations of the step function: each has one message that was received for it, and deleted */
function perStep(counted: readonly Counted[], invocations: number, steps: number): CountedRun {
  const own = counted.filter(({ by }) => isStep(by));
  const calls = new Map<string, number>();
  const add = (kind: string, n: number) => void calls.set(kind, (calls.get(kind) ?? 0) + n / steps);
  for (const { service, operation, of } of own) add(`${service} ${operation} ${of}`.trim(), 1);
  for (const operation of ['ReceiveMessage', 'DeleteMessage']) add(`sqs ${operation}`, invocations);
  const total = (units: (call: Counted) => number) => own.reduce((all, call) => all + units(call), 0) / steps;
  return { calls, read: total(({ read }) => read), write: total(({ write }) => write) };
}

const isStep = (name: string): boolean => /Steps?Step/.test(name);

const isPush = (kind: string): boolean => kind.startsWith('connections ');

const sum = (calls: ReadonlyMap<string, number>, which: (kind: string) => boolean): number =>
  [...calls].reduce((all, [kind, n]) => all + (which(kind) ? n : 0), 0);

const figure = (n = 0): string => n.toFixed(2);

const row = (name: string, ...cells: readonly string[]): void =>
  console.log(`${name.padEnd(40)}${cells.map((cell) => cell.padStart(14)).join('')}`);
