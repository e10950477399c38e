/** The baseline that a run is compared with. Pure. */

import * as z from 'zod';
import type { CaseResult, EvalRun } from './result.ts';

const Kept = z.strictObject({ passed: z.boolean(), score: z.number().min(0).max(1) });

/** The file of a baseline: each case by its id. It contains nothing that changes between equal runs. */
export const Baseline = z.strictObject({ version: z.literal(1), cases: z.record(z.string(), Kept) });

/** The results of earlier runs. */
export type Baseline = z.output<typeof Baseline>;

/** A case that has become worse. */
export interface Regression {
  readonly id: string;
  readonly why: string;
}

/**
 * Cases that have become worse: they passed and fail now, or their score has fallen by more than `tolerance`. A failing
 * case that the baseline does not know counts too, since no run has accepted that failure.
 */
export function regressions(
  { cases }: Pick<EvalRun, 'cases'>,
  baseline: Baseline | undefined,
  tolerance: number,
): Regression[] {
  return cases.flatMap(({ id, passed, score }) => {
    const before = Object.hasOwn(baseline?.cases ?? {}, id) ? baseline?.cases[id] : undefined;
    if (!before) return passed ? [] : [{ id, why: baseline ? 'It is new, and fails.' : 'It fails.' }];
    if (before.passed && !passed) return [{ id, why: 'It passed before.' }];
    // Figures that differ only in their last digits are the same.
    if (before.score - score > tolerance + 1e-9)
      return [{ id, why: `Its score was ${figure(before.score)}, and is ${figure(score)}.` }];
    return [];
  });
}

/**
 * The baseline after a run: the new results of all cases that it played, and the old ones of cases that were left out
 * on purpose.
 */
export function accepted(
  { cases }: Pick<EvalRun, 'cases'>,
  before: Baseline | undefined,
  isPartial: boolean,
): Baseline {
  const now = cases.map(
    ({ id, passed, score }: CaseResult) => [id, { passed, score: Number(score.toFixed(4)) }] as const,
  );
  const all = { ...(isPartial && before?.cases), ...Object.fromEntries(now) };
  const sorted = Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1));
  return { version: 1, cases: Object.fromEntries(sorted) };
}

/**
 * Why a run is no baseline: the first case that a failing model server, or an error of the play itself, kept from being judged.
 * Undefined if all were.
 */
export function unjudged({ cases }: Pick<EvalRun, 'cases'>): { id: string; why: string } | undefined {
  for (const { id, plays } of cases)
    for (const { error, reason, message } of plays)
      if (error !== undefined || reason === 'provider_error')
        return { id, why: error ?? message ?? 'The model’s server failed.' };
  return undefined;
}

/** A score as shown to people: two digits after the point. */
export const figure = (score: number): string => score.toFixed(2);
