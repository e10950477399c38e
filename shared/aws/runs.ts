import { freezeDeep } from '../agent/plain/merge.ts';
import type { Slot } from '../agent/session/slots.ts';

/** Committed slots `[from, below)`. */
export interface Run {
  readonly from: number;
  readonly below: number;
  readonly slots: readonly Slot[];
  /** Length of their JSON. */
  readonly chars: number;
}

type Range = Pick<Run, 'from' | 'below'>;

/** Adds a run, by where it begins. Its slots can no longer change from then on. */
export const withRun = (runs: readonly Run[], run: Run): readonly Run[] =>
  [...runs.filter(({ from, below }) => from !== run.from || below !== run.below), freezeDeep(run)].sort(
    (a, b) => a.from - b.from,
  );

/** The first of these slots that no run has, up to the next slot that a run has; undefined when there is none. */
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

/** These slots, in order, once each. Most runs are taken whole, so a step does not look at each slot of its session. */
export function between(runs: readonly Run[], from: number, below: number): Slot[] {
  let next = from;
  return runs.flatMap((run) => {
    const first = next;
    next = Math.max(next, run.below);
    if (run.from >= first && run.below <= below) return run.slots;
    return run.slots.filter(({ n }) => n >= first && n < below);
  });
}

/** The room that these runs take, in characters. */
export const charsOf = (runs: readonly Run[]): number => runs.reduce((all, run) => all + run.chars, 0);
