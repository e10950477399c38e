import { freezeDeep } from '../../agent/plain/merge.ts';
import type { Slot } from '../../agent/session/slots.ts';

/** Committed slots `[from, below)`. */
export interface Run {
  readonly from: number;
  readonly below: number;
  readonly slots: readonly Slot[];
  /** Length of their JSON. */
  readonly chars: number;
}

type Range = Pick<Run, 'from' | 'below'>;

/** The runs with one more, by where they begin. Nobody can change its slots from then on. */
export const withRun = (runs: readonly Run[], run: Run): readonly Run[] =>
  [...runs.filter(({ from, below }) => from !== run.from || below !== run.below), freezeDeep(run)].sort(
    (a, b) => a.from - b.from,
  );

/** The first of these slots that no run has, up to where one has them again; undefined when there is none. */
export function firstGap(runs: readonly Run[], from: number, below: number): Range | undefined {
  let next = from;
  for (const run of runs) {
    if (run.from > next) break;
    next = Math.max(next, run.below);
  }
  if (next >= below) return undefined;
  const again = runs.find((run) => run.from > next)?.from ?? below;
  return { from: next, below: Math.min(again, below) };
}

/** These slots, in order, once each: of most runs all, so that a step does not look at each slot of its session. */
export function between(runs: readonly Run[], from: number, below: number): Slot[] {
  let next = from;
  return runs.flatMap((run) => {
    const first = next;
    next = Math.max(next, run.below);
    if (run.from >= first && run.below <= below) return run.slots;
    return run.slots.filter(({ n }) => n >= first && n < below);
  });
}

/** How much of the room for runs these take. */
export const charsOf = (runs: readonly Run[]): number => runs.reduce((all, run) => all + run.chars, 0);
