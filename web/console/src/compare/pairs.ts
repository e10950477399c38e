import type { StepInfo } from '../../../client/index.ts';
import { totalMs } from '../steps/phases.ts';

/** The address of a comparison: two sessions, and a run of each, or all of its runs. */
export interface Compared {
  readonly a?: string;
  readonly b?: string;
  readonly runA?: string;
  readonly runB?: string;
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Reads the address of a comparison; anything else in it is ignored. */
export const comparedOf = (search: Readonly<Record<string, unknown>>): Compared => ({
  ...{ a: text(search.a), b: text(search.b), runA: text(search.runA), runB: text(search.runB) },
});

/** The ids of the runs, oldest first. Pure. */
export const runsOf = (steps: readonly StepInfo[]): readonly string[] => [
  ...new Set(steps.map(({ runId }) => runId)),
];

/** Figures of some steps. */
export interface Figures {
  /** Replies of the model. */
  readonly steps: number;
  readonly calls: number;
  /** Calls that did not end well. */
  readonly failedCalls: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** USD for models, including lost attempts. */
  readonly costUsd: number;
  /** Ms of work, without waits for people and queued calls. */
  readonly workMs: number;
  readonly waitMs: number;
}

/** Adds up steps. Pure. */
export function figuresOf(steps: readonly StepInfo[]): Figures {
  const sum = (of: (step: StepInfo) => number | undefined) =>
    steps.reduce((all, step) => all + (of(step) ?? 0), 0);
  const calls = steps.flatMap((step) => step.calls);
  return {
    steps: steps.filter(({ kind }) => kind === 'model').length,
    calls: calls.length,
    failedCalls: calls.filter(({ outcome }) => outcome !== 'ok' && outcome !== 'open').length,
    input: sum(({ usage }) => usage && usage.input + usage.cacheWrite),
    cached: sum(({ usage }) => usage?.cacheRead),
    output: sum(({ usage }) => usage?.output),
    costUsd: sum(({ costUsd = 0, lost }) => costUsd + (lost?.costUsd ?? 0)),
    workMs: sum(totalMs),
    waitMs: sum(({ times }) => times.waitMs),
  };
}

/** Steps at the same place of both sides. */
export interface Pair {
  readonly left: StepInfo | undefined;
  readonly right: StepInfo | undefined;
  /** Both are one and the same step, which a fork shares with its origin. */
  readonly isShared: boolean;
}

/**
 * Pairs steps by their order. Pure.
 *
 * @param shared slots below this one are the same in both sessions
 */
export function pairsOf(left: readonly StepInfo[], right: readonly StepInfo[], shared: number): Pair[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, i) => {
    const [one, other] = [left[i], right[i]];
    const slot = one?.slots[0];
    return {
      ...{ left: one, right: other },
      isShared: slot !== undefined && slot === other?.slots[0] && slot < shared,
    };
  });
}

/** The part of a session that a comparison needs. */
interface Origin {
  readonly sessionId: string;
  readonly forkOf?: { readonly sessionId: string; readonly below: number };
}

/** The first slot that two sessions do not share: of a fork and its origin, or of two forks of one session. Pure. */
export function sharedBelow(a: Origin, b: Origin): number {
  if (a.sessionId === b.sessionId) return Number.POSITIVE_INFINITY;
  if (a.forkOf?.sessionId === b.sessionId) return a.forkOf.below;
  if (b.forkOf?.sessionId === a.sessionId) return b.forkOf.below;
  if (a.forkOf && b.forkOf && a.forkOf.sessionId === b.forkOf.sessionId)
    return Math.min(a.forkOf.below, b.forkOf.below);
  return 0;
}
