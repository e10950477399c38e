import type { Regression } from '../../testing/evals/baseline.ts';
import type { CaseResult, EvalRun } from '../../testing/evals/result.ts';
import type { Report } from './report.ts';

/** What `steploop eval --json` prints (docs/evals.md). */
export interface EvalDocument extends EvalRun {
  readonly version: 1;
  /** Whether scripts and rules stood in the models' place: then costs are what the tokens would have cost. */
  readonly scripted: boolean;
  readonly regressions: readonly Regression[];
  /** With the score and the outcome in the baseline, where it knows the case. */
  readonly cases: readonly (CaseResult & {
    readonly before?: { readonly passed: boolean; readonly score: number };
  })[];
  /** Real ms. */
  readonly ms: number;
}

/** The report as the document that programs read. */
export const documentOf = ({ run, scripted, baseline, regressions, ms }: Report): EvalDocument => ({
  version: 1,
  ...run,
  scripted,
  regressions,
  cases: run.cases.map((one) => {
    const before = baseline?.cases[one.id];
    return { ...one, ...(before && { before }) };
  }),
  ms,
});
