import type { SessionRow, StepInfo } from '../../../client/index.ts';
import { totalMs } from '../steps/phases.ts';

/** A latency in ms, as percentiles. */
export interface Latency {
  readonly name: string;
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
}

/** How long runs and steps take. Pure. Missing values are left out, and a latency without values has no line. */
export function latenciesOf(rows: readonly SessionRow[], steps: readonly StepInfo[]): Latency[] {
  const asked = steps.filter(({ kind }) => kind === 'model');
  return [
    latency(
      'Run: total, without waits for people',
      rows.map(({ ranMs }) => ranMs),
    ),
    latency('Run: time to first token', asked.filter(({ step }) => step === 1).map(firstWordMs)),
    latency(
      'Step: queued',
      steps.map(({ times }) => times.queueMs),
    ),
    latency('Step: time to first token', asked.map(firstWordMs)),
    latency('Step: total, without waits', steps.map(totalMs)),
    latency(
      'Step: model',
      asked.map(({ times }) => times.modelMs),
    ),
    latency(
      'Step: tools',
      steps.map(({ times }) => times.toolsMs),
    ),
  ].flatMap((one) => one ?? []);
}

/** Ms from when a step was due until its model's first token. */
function firstWordMs({ times }: StepInfo): number | undefined {
  const { queueMs = 0, claimMs = 0, prepareMs = 0, firstTokenMs } = times;
  return firstTokenMs === undefined ? undefined : queueMs + claimMs + prepareMs + firstTokenMs;
}

function latency(name: string, values: readonly (number | undefined)[]): Latency | undefined {
  const known = values.filter((ms) => ms !== undefined).toSorted((a, b) => a - b);
  if (known.length === 0) return undefined;
  return { name, count: known.length, p50: within(known, 0.5), p95: within(known, 0.95) };
}

/** The smallest of the sorted values that this share of them does not exceed. */
const within = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
