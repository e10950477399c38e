import { defined } from '../../shared/agent/plain/defined.ts';
import type { Regression } from '../../testing/evals/baseline.ts';
import type { CaseResult, EvalRun } from '../../testing/evals/result.ts';
import type { Report } from './report.ts';

/** The output of `steploop eval --json` (docs/evals.md). */
export interface EvalDocument extends EvalRun {
  readonly version: 1;
  /** Whether scripts and rules replaced the models. Then costs are what the tokens would have cost. */
  readonly scripted: boolean;
  readonly regressions: readonly Regression[];
  /** With the score and the outcome in the baseline, if it has the case. */
  readonly cases: readonly (CaseResult & {
    readonly before?: { readonly passed: boolean; readonly score: number };
  })[];
  /** Real time in ms. */
  readonly ms: number;
}

/** The report as a document for programs. */
export const documentOf = ({ run, scripted, baseline, regressions, ms }: Report): EvalDocument => ({
  version: 1,
  ...run,
  scripted,
  regressions,
  cases: run.cases.map((one) => {
    const before = baseline?.cases[one.id];
    return { ...one, ...defined({ before }) };
  }),
  ms,
});
