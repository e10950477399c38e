import type { DayInfo, DaysAnswer, EndedFor, Figures } from '../../../contract/days.ts';
import { isFailure } from './reasons.ts';
import { percentile } from './sizes.ts';
import type { CountedDay } from './store.ts';
import { addTallies, emptyTally, type Tally } from './tally.ts';

/** The answer of `GET /history` from counted days, oldest first. Pure. */
export function daysAnswer(counted: readonly CountedDay[], pending: number): DaysAnswer {
  const total = counted.reduce((sum, { tally }) => addTallies(sum, tally), emptyTally);
  return {
    days: counted.map(toDay),
    pending,
    total: figuresOf(total),
    agents: total.agents.toSorted((a, b) => b.costUsd - a.costUsd || b.runs - a.runs),
    models: total.models.toSorted((a, b) => b.costUsd - a.costUsd || b.calls - a.calls),
    tools: total.tools.toSorted((a, b) => b.calls - a.calls),
  };
}

const toDay = ({ day, tally }: CountedDay): DayInfo => ({
  ...{ day, sessions: tally.sessions },
  ...figuresOf(tally),
  ...(tally.partial && { partial: true }),
});

function figuresOf(tally: Tally): Figures {
  const { steps, input, output, cacheRead, cacheWrite, costUsd, lostUsd, infraUsd } = tally;
  const reasons = tally.reasons
    .toSorted((a, b) => b.runs - a.runs)
    .map(({ name, runs }) => ({ reason: name as EndedFor, runs }));
  const runsOf = (rows: typeof reasons) => rows.reduce((sum, { runs }) => sum + runs, 0);
  const p50Ms = percentile(tally.durations, 0.5);
  const p95Ms = percentile(tally.durations, 0.95);
  return {
    runs: runsOf(reasons),
    failed: runsOf(reasons.filter(({ reason }) => isFailure(reason))),
    reasons,
    durations: {
      count: tally.durations.reduce((sum, { runs }) => sum + runs, 0),
      ...(p50Ms !== undefined && p95Ms !== undefined && { p50Ms, p95Ms }),
    },
    ...{ steps, input, output, cacheRead, cacheWrite, costUsd, lostUsd, infraUsd },
  };
}
