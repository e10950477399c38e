import { setTimeout as pause } from 'node:timers/promises';
import { embedded } from '../../test/support/embedded.ts';
import { benchModel, type Plan } from '../support/model.ts';
import { type Counted, isStep, tally } from '../support/tally.ts';
import { firstRun, secondRun } from '../support/two-runs.ts';
import { TEXT } from './workload.ts';

/**
 * The service calls of a step, by their subject, and its write units: the calls that the step function sends, and the message
 * that is received and deleted for it.
 *
 * @param steps steps of a run
 * @param long whether to include a step whose model takes 8 s
 */
export async function showCalls(
  assembly: string,
  { steps, long }: { readonly steps: number; readonly long: boolean },
): Promise<void> {
  const nobody = await countRun(assembly, shortReplies, steps, 0);
  const one = await countRun(assembly, shortReplies, steps, 1);
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
  using session = await firstRun(world, model, { ...shortReplies, steps: 3 }, listeners);
  await pause(500);
  counter.begin();
  invocations = 0;
  await secondRun(world, model, session, { ...replies, steps });
  const { state } = await world.atRest(session.id);
  if (state !== 'completed') throw new Error(`the run ended ${state}`);
  await pause(500);
  if (invocations < steps) throw new Error(`${invocations} invocations for ${steps} steps`);
  return perStep(counter.counted, invocations, steps);
}

/** @param invocations of the step function: for each, one message is received and deleted */
function perStep(counted: readonly Counted[], invocations: number, steps: number): CountedRun {
  const own = counted.filter(({ by }) => isStep(by));
  const calls = new Map<string, number>();
  const add = (kind: string, n: number) => void calls.set(kind, (calls.get(kind) ?? 0) + n / steps);
  for (const { service, operation, of } of own) add(`${service} ${operation} ${of}`.trim(), 1);
  for (const operation of ['ReceiveMessage', 'DeleteMessage']) add(`sqs ${operation}`, invocations);
  const total = (units: (call: Counted) => number) => own.reduce((all, call) => all + units(call), 0) / steps;
  return { calls, read: total(({ read }) => read), write: total(({ write }) => write) };
}

const isPush = (kind: string): boolean => kind.startsWith('connections ');

const sum = (calls: ReadonlyMap<string, number>, which: (kind: string) => boolean): number =>
  [...calls].reduce((all, [kind, n]) => all + (which(kind) ? n : 0), 0);

const figure = (n = 0): string => n.toFixed(2);

const row = (name: string, ...cells: readonly string[]): void =>
  console.log(`${name.padEnd(40)}${cells.map((cell) => cell.padStart(14)).join('')}`);
