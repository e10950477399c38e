/** Scorers of a run's course: how it ended, what it used, and what guards said. */

import type { Spoken } from '../../../shared/agent/session/verdict.ts';
import type { Reason, State } from '../../../shared/contract/session.ts';
import { type Scorer, share } from '../scorer.ts';

/** The session ends in this state, and for this reason if one is given. Without this scorer a case must be `completed`. */
export const ends = (state: State, reason?: Reason): Scorer => ({
  name: 'ends',
  judgesEnding: true,
  score: (played) => {
    const right = played.state === state && (reason === undefined || played.reason === reason);
    const came = [played.state, played.reason].filter(Boolean).join(', ');
    return share(1, right ? [] : [`It ended as ${came}.`]);
  },
});

/** Limits of one play. */
export interface Within {
  /** Number of the model's replies. */
  readonly steps?: number;
  /** Number of tool calls. */
  readonly calls?: number;
  /** Input and output tokens, without cached input. */
  readonly tokens?: number;
  /** USD for the model; with a scripted model, what the tokens would have cost. */
  readonly costUsd?: number;
}

/**
 * The play stays within these limits. Just above a limit the score is nearly 1, at twice the limit it is 0.5.
 *
 * @example
 * within({ steps: 6, costUsd: 0.02 })
 */
export const within = (limits: Within): Scorer => ({
  name: 'budget',
  score({ steps, calls, totals }) {
    const used: Required<Within> = {
      steps,
      calls: calls.length,
      tokens: totals.input + totals.output,
      costUsd: totals.costUsd,
    };
    const over = Object.entries(limits).flatMap(([key, limit]) => {
      const value = used[key as keyof Within];
      return limit !== undefined && value > limit ? [{ key, limit, value }] : [];
    });
    return {
      score: Math.min(1, ...over.map(({ limit, value }) => limit / value)),
      passed: over.length === 0,
      ...(over.length > 0 && {
        why: over.map(({ key, limit, value }) => `It used ${rounded(value)} ${key} of ${limit}.`).join(' '),
      }),
    };
  },
});

const rounded = (value: number): number => Number(value.toPrecision(3));

/** Guards that must speak, and guards that must not: by name, or name and code: `repeat:halted`. */
export interface ExpectedVerdicts {
  readonly speak?: readonly string[];
  /** `all`: no guards except those that must speak. */
  readonly silent?: readonly string[] | 'all';
}

/**
 * The expected guards speak, and the others do not. Verdicts that only say that a rule is off do not count, nor do
 * nudges that the model was not given.
 */
export const guards = ({ speak = [], silent = [] }: ExpectedVerdicts): Scorer => ({
  name: 'guards',
  score({ verdicts }) {
    const said = verdicts.filter(({ kind, unsaid }) => kind !== 'allow' && !unsaid);
    const unwanted =
      silent === 'all'
        ? said.filter((one) => !speak.some((name) => isBy(name, one)))
        : said.filter((one) => silent.some((name) => isBy(name, one)));
    const wrong = [
      ...speak.filter((name) => !said.some((one) => isBy(name, one))).map((name) => `${name} said nothing.`),
      ...new Set(unwanted.map(({ guard, code }) => `${guard} said ${code}.`)),
    ];
    const asked = speak.length + (silent === 'all' ? 1 : silent.length);
    return share(Math.max(1, asked, wrong.length), wrong);
  },
});

const isBy = (name: string, { guard, code }: Spoken): boolean =>
  name === guard || name === `${guard}:${code}`;
