import { type BillOf, billOf, services, sumOf } from './bill.ts';
import { others } from './others.ts';
import type { Used } from './reference-run.ts';

/** The tables of docs/cost.md, from runs with one listener and with two. */
export function tables(runs: readonly Used[]): string {
  const [first] = runs;
  if (!first) throw new Error('no run');
  const bills = [...runs.map((used) => billOf(used, false)), ...runs.map((used) => billOf(used, true))];
  const cells = (of: (bill: BillOf) => number) => bills.map((bill) => of(bill).toFixed(1));
  const dollars = [
    line('USD for a million steps', 'Lambda, 1', 'Lambda, 2', 'managed, 1', 'managed, 2'),
    line('---', ...bills.map(() => '--:')),
    ...services.map((service) => line(service, ...cells((bill) => bill[service]))),
    line('**together**', ...cells(sumOf)),
    line(
      'told by the steps',
      ...runs.map(({ toldUsd, steps }) => ((toldUsd * 1e6) / steps).toFixed(1)),
      '',
      '',
    ),
  ];
  const each = (what: string, of: (used: Used) => number, digits = 1) =>
    line(what, ...runs.map((used) => (of(used) / used.steps).toFixed(digits)));
  const counts = [
    line('a step', ...runs.map(({ listeners }) => `${listeners} listening`)),
    line('---', ...runs.map(() => '--:')),
    each('pushes', ({ pushes }) => pushes),
    each('write units', ({ writes }) => writes),
    each('read units', ({ reads }) => reads),
    each('requests of SQS', ({ queueRequests }) => queueRequests),
    each('seconds of the step function', ({ stepSeconds }) => stepSeconds, 2),
    each('GB-seconds of it', ({ stepGbSeconds }) => stepGbSeconds, 2),
    each('KB of logs', ({ logKb }) => logKb),
    line('KB of a request to the model', ...runs.map(({ contextBytes }) => (contextBytes / 1000).toFixed(0))),
  ];
  const beside = [
    line('the same run elsewhere', 'its price', 'waiting', 'how it is reckoned'),
    line('---', '--:', '--:', '---'),
    ...others(first).map(({ name, usd, waiting, how, source }) =>
      line(`[${name}](${source})`, usd.toFixed(0), waiting.toFixed(0), how),
    ),
  ];
  return [dollars, counts, beside].map((table) => table.join('\n')).join('\n\n');
}

const line = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
