/** The results of earlier runs, a line of JSON for each. Pure. */

import * as z from 'zod';
import { jsonIn } from '../../shared/agent/plain/json-in.ts';
import type { CaseResult, EvalRun } from './result.ts';

/** Runs that a file keeps, the latest ones. */
const MOST_RUNS = 100;
/** Characters that a file has, at most; the latest run stays in any case. */
const MOST_CHARACTERS = 1_000_000;

/** A run: in each case whether it passed (1 or 0), its score, USD for models and judges, and real ms. */
const KeptRun = z.strictObject({
  at: z.iso.datetime(),
  ms: z.number(),
  costUsd: z.number(),
  cases: z.record(z.string(), z.tuple([z.literal([0, 1]), z.number(), z.number(), z.number()])),
});
export type KeptRun = z.output<typeof KeptRun>;

/** A run as it is kept. @param at ISO 8601 */
export const keptRun = ({ cases }: Pick<EvalRun, 'cases'>, at: string, ms: number): KeptRun => ({
  at,
  ms: Math.round(ms),
  costUsd: rounded(cases.reduce((sum, one) => sum + usdOf(one), 0)),
  cases: Object.fromEntries(
    cases.map((one) => [
      one.id,
      [one.passed ? 1 : 0, Number(one.score.toFixed(4)), rounded(usdOf(one)), Math.round(one.ms)],
    ]),
  ),
});

const usdOf = ({ plays }: CaseResult): number =>
  plays.reduce((sum, { costUsd, scoringUsd }) => sum + costUsd + scoringUsd, 0);
const rounded = (usd: number): number => Number(usd.toFixed(6));

/** The text of the file with one more run, without the oldest runs if there are too many. */
export function withRun(text: string, run: KeptRun): string {
  const lines = [...text.split('\n').filter(Boolean), JSON.stringify(run)].slice(-MOST_RUNS);
  let left = lines.length;
  for (let size = 0; left > 0; left--) {
    size += (lines[left - 1]?.length ?? 0) + 1;
    if (size > MOST_CHARACTERS) break;
  }
  return `${lines.slice(Math.min(left, lines.length - 1)).join('\n')}\n`;
}

/** The runs in a file, oldest first. Lines that are no run, such as the marks of a merge, are left out. */
export function runsIn(text: string): KeptRun[] {
  const runs = text.split('\n').flatMap((line) => {
    const parsed = KeptRun.safeParse(jsonIn(line));
    return parsed.success ? [parsed.data] : [];
  });
  return runs.toSorted((a, b) => (a.at < b.at ? -1 : 1));
}
