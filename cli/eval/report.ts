/** The result of a run, for people. Pure. */

import { count, dollars, oneLine, seconds } from '../../local/amounts.ts';
import type { Paint } from '../../local/paint.ts';
import { printable } from '../../local/printable.ts';
import { type Baseline, figure, type Regression } from '../../testing/evals/baseline.ts';
import type { CaseResult, EvalRun, Play } from '../../testing/evals/result.ts';
import { columns } from '../sessions/columns.ts';

/** A run and its baseline. */
export interface Report {
  readonly run: EvalRun;
  /** Whether no model was real. */
  readonly scripted: boolean;
  readonly baseline?: Baseline;
  /** Its path, as it was typed or relative to the project's folder. */
  readonly baselineFile: string;
  readonly regressions: readonly Regression[];
  readonly ms: number;
}

/** A line for each case, with a header line, as wide as the terminal. */
export function tableOf({ run, baseline, regressions }: Report, paint: Paint, width: number): string[] {
  const worse = new Map(regressions.map(({ id, why }) => [id, why]));
  const rows = run.cases.map((result) => {
    const before = baseline?.cases[result.id];
    const tokens = sum(result, (play) => play.tokens);
    const usd = sum(result, (play) => play.costUsd + play.scoringUsd);
    return [
      result.id,
      outcomeOf(result, before !== undefined && worse.has(result.id)),
      figure(result.score),
      before ? figure(before.score) : '',
      String(sum(result, ({ steps }) => steps)),
      tokens.toLocaleString('en-US'),
      dollars(usd),
      oneLine(printable([worse.get(result.id), whyOf(result)].filter(Boolean).join(' ')), 1_000),
    ];
  });
  const names = ['case', 'result', 'score', 'was', 'steps', 'tokens', 'cost', 'why'];
  const [head = [], ...lines] = columns(names, rows, width);
  return [
    paint('dim', head.join('  ').trimEnd()),
    ...lines.map(([id, outcome = '', ...others], i) => {
      const style = !run.cases[i]?.passed || outcome.startsWith('worse') ? 'red' : 'green';
      return [id, paint(style, outcome), ...others].join('  ').trimEnd();
    }),
  ];
}

function outcomeOf({ passed, plays, passRate }: CaseResult, isWorse: boolean): string {
  const of = plays.length > 1 ? ` ${Math.round(passRate * plays.length)}/${plays.length}` : '';
  return `${isWorse ? 'worse' : passed ? 'passed' : 'failed'}${of}`;
}

/** Why a case fails, from its first failed play; empty if it passes. */
export function whyOf({ plays }: CaseResult): string {
  const failed = plays.find(({ passed }) => !passed);
  return failed ? wrongIn(failed) : '';
}

function wrongIn({ error, scores }: Play): string {
  if (error !== undefined) return `It could not be played: ${error}`;
  return scores
    .filter(({ passed, skipped }) => !passed && !skipped)
    .map(({ by, why = 'The result is not as expected.' }) => `${by}: ${why}`)
    .join(' ');
}

/** The lines below the table. */
export function summaryOf(report: Report): string[] {
  const { run, scripted, baseline, baselineFile, regressions, ms } = report;
  const { cases, unplayed, stopped, costUsd, scoringUsd } = run;
  const passed = cases.filter((one) => one.passed).length;
  const mean = cases.reduce((total, { score }) => total + score, 0) / Math.max(1, cases.length);
  const skipped = cases.flatMap(({ plays }) =>
    plays.flatMap(({ scores }) => scores.filter((one) => one.skipped)),
  );
  const spent = scripted
    ? 'No model was real, so nothing was spent: costs are what the tokens would have cost.'
    : `${dollars(costUsd)} for models${scoringUsd > 0 ? `, ${dollars(scoringUsd)} for judges` : ''}.`;
  return [
    `${passed} of ${count(cases.length, 'case')} passed, with a score of ${figure(mean)}, in ${seconds(ms)}. ${spent}`,
    ...(skipped.length > 0 ? [`${count(skipped.length, 'judgement')} skipped: rules cannot judge.`] : []),
    ...(unplayed.length > 0
      ? [
          `${stopped === 'interrupted' ? 'It was interrupted' : 'It stopped at --max-usd'}: ${count(unplayed.length, 'case')} of ${cases.length + unplayed.length} ${unplayed.length === 1 ? 'was' : 'were'} not played to the end.`,
        ]
      : []),
    compared(baseline, baselineFile, regressions, cases.length),
  ];
}

function compared(
  baseline: Baseline | undefined,
  file: string,
  regressions: readonly Regression[],
  played: number,
): string {
  if (!baseline) return `There is no baseline yet: with --accept this becomes one, in ${file}.`;
  if (regressions.length === 0)
    return played === 0 ? 'Nothing was compared.' : `No case is worse than in ${file}.`;
  return `${count(regressions.length, 'case is', 'cases are')} worse than in ${file}.`;
}

const sum = ({ plays }: CaseResult, of: (play: Play) => number): number =>
  plays.reduce((total, play) => total + of(play), 0);
