/** Plays cases, several at once. */

import type { Playable } from './check.ts';
import { play, type Stage } from './play.ts';
import type { CaseResult, EvalRun, Play } from './result.ts';

/** How cases are played. */
export interface RunOptions {
  readonly stage: Stage;
  /** Plays of each case. */
  readonly repeat: number;
  /** Plays at the same time. */
  readonly concurrency: number;
  /** USD at which no further play starts. */
  readonly maxUsd: number;
  /** Stops the run: no further play starts, and unfinished plays do not count. */
  readonly signal: AbortSignal;
  /** Real time in ms. */
  readonly now: () => number;
  /** Called for each case when its last play is over. */
  readonly told: (result: CaseResult, usd: number) => void;
}

/** Plays all cases and scores them. Never rejects. */
export async function runCases(cases: readonly Playable[], options: RunOptions): Promise<EvalRun> {
  const { stage, repeat, concurrency, maxUsd, signal, now, told } = options;
  const due = cases.flatMap((one) => Array.from({ length: repeat }, () => one));
  const plays = new Map<string, { play: Play; ms: number }[]>(cases.map(({ id }) => [id, []]));
  const results = new Map<string, CaseResult>();
  let usd = 0;
  const isOver = () => signal.aborted || usd >= maxUsd;

  const stopped = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });

  async function work(): Promise<void> {
    for (let next = isOver() ? undefined : due.shift(); next; next = isOver() ? undefined : due.shift()) {
      const began = now();
      const played = await Promise.race([play(next, stage), stopped]);
      if (played === undefined || signal.aborted) return;
      usd += played.costUsd + played.scoringUsd;
      const of = plays.get(next.id) ?? [];
      of.push({ play: played, ms: now() - began });
      if (of.length < repeat) continue;
      const result = resultOf(next, of);
      results.set(next.id, result);
      told(result, usd);
    }
  }

  await Promise.all(Array.from({ length: concurrency }, work));
  const done = cases.flatMap(({ id }) => results.get(id) ?? []);
  const all = [...plays.values()].flat().map((one) => one.play);
  const unplayed = cases
    .filter(({ id }) => !results.has(id))
    .map(({ id, of, case: one }) => ({ id, eval: of.name, case: one.name }));
  return {
    cases: done,
    unplayed,
    ...(unplayed.length > 0 && { stopped: signal.aborted ? 'interrupted' : 'max_usd' }),
    costUsd: all.reduce((sum, { costUsd }) => sum + costUsd, 0),
    scoringUsd: all.reduce((sum, { scoringUsd }) => sum + scoringUsd, 0),
  };
}

function resultOf({ id, of, case: one }: Playable, plays: readonly { play: Play; ms: number }[]): CaseResult {
  const passRate = plays.filter(({ play }) => play.passed).length / plays.length;
  return {
    id,
    eval: of.name,
    case: one.name,
    passed: passRate >= (of.passRate ?? 1),
    passRate,
    score: plays.reduce((sum, { play }) => sum + play.score, 0) / plays.length,
    plays: plays.map(({ play }) => play),
    ms: plays.reduce((sum, { ms }) => sum + ms, 0),
  };
}
