import type { Agent } from '../../shared/agent/define/agent.ts';
import type { Rehearsed } from '../rehearse.ts';
import type { Answering } from '../scripted-model.ts';

/** What a scorer says of one play of a case. */
export interface Score {
  /** From 0 to 1. */
  readonly score: number;
  readonly passed: boolean;
  /** What is missing or wrong, as a sentence; of a pass what there is to know, if anything. */
  readonly why?: string;
  /** USD that scoring has cost; 0 when absent. */
  readonly costUsd?: number;
  /** It could not be scored here, and counts neither way: `why` says the reason. */
  readonly skipped?: true;
}

/** What a scorer may use beside what came of the play. */
export interface Scoring {
  /** The agent that was played. */
  readonly agent: Agent;
  /** What people said, in order. */
  readonly user: readonly string[];
  /** Asks a real model; undefined where the run has none. */
  readonly model: Answering | undefined;
  /** An agent whose models have the prices of the list, where they have none of their own. */
  readonly priced: (agent: Agent) => Promise<Agent>;
}

/** Judges one play of a case: made by `contains`, `trajectory` and the others, or by {@link scorer}. */
export interface Scorer {
  /** Stands in tables and reports. */
  readonly name: string;
  /** Tools that it speaks of, which the agent must have. */
  readonly tools?: readonly string[];
  /** Set when it says how the session must end: else a case must complete. */
  readonly judgesEnding?: true;
  readonly score: (played: Rehearsed, scoring: Scoring) => Score | Promise<Score>;
}

/**
 * A scorer of your own: a function that says whether a play is right, or how right it is.
 *
 * @example
 * scorer('names no price', ({ answer = '' }) => !answer.includes('$'))
 */
export function scorer(
  name: string,
  judge: (played: Rehearsed, scoring: Scoring) => boolean | Score | Promise<boolean | Score>,
): Scorer {
  return {
    name,
    async score(played, scoring) {
      const said = await judge(played, scoring);
      return typeof said === 'boolean' ? { score: said ? 1 : 0, passed: said } : said;
    },
  };
}

/** The score of what should be there, of which some is missing. */
export function share(of: number, missing: readonly string[]): Score {
  const score = of === 0 ? 1 : (of - missing.length) / of;
  return { score, passed: missing.length === 0, ...(missing.length > 0 && { why: missing.join(' ') }) };
}
