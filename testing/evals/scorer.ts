import type { Agent } from '../../shared/agent/define/agent.ts';
import type { Rehearsed } from '../rehearsal.ts';
import type { Answering } from '../scripted-model.ts';

/** A scorer's verdict on one play of a case. */
export interface Score {
  /** From 0 to 1. */
  readonly score: number;
  readonly passed: boolean;
  /** The fault, as a sentence; for a pass, a remark if there is one. */
  readonly why?: string;
  /** USD that scoring has cost; 0 if absent. */
  readonly costUsd?: number;
  /** The play could not be scored here, and counts neither way: `why` gives the reason. */
  readonly skipped?: true;
}

/** Input of a scorer beside the result of the play. */
export interface Scoring {
  /** The agent that was played. */
  readonly agent: Agent;
  /** The users' messages, in order. */
  readonly user: readonly string[];
  /** Asks a real model; undefined if the run has none. */
  readonly model: Answering | undefined;
  /** Gives an agent's models the list prices, unless they have prices of their own. */
  readonly priced: (agent: Agent) => Promise<Agent>;
}

/** Judges one play of a case: made by `contains`, `trajectory` and the others, or by {@link scorer}. */
export interface Scorer {
  /** Shown in tables and reports. */
  readonly name: string;
  /** Tools that the scorer names, which the agent must have. */
  readonly tools?: readonly string[];
  /** Set if the scorer judges how the session ends: otherwise a case must complete. */
  readonly judgesEnding?: true;
  readonly score: (played: Rehearsed, scoring: Scoring) => Score | Promise<Score>;
}

/**
 * A custom scorer: a function that says whether a play is right, or how right it is.
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

/** The score if some of the expected items are missing. */
export function share(of: number, missing: readonly string[]): Score {
  const score = of === 0 ? 1 : (of - missing.length) / of;
  return { score, passed: missing.length === 0, ...(missing.length > 0 && { why: missing.join(' ') }) };
}
