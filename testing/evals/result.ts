import type { State } from '../../shared/contract/session.ts';
import type { RehearsedCall } from '../rehearsal.ts';
import type { Score } from './scorer.ts';

/** A score, and the scorer that gave it. */
export interface Scored extends Score {
  readonly by: string;
}

/** One play of a case. */
export interface Play {
  readonly passed: boolean;
  /** From 0 to 1: the mean of its scores, without the skipped ones. */
  readonly score: number;
  readonly scores: readonly Scored[];
  readonly state?: State;
  readonly reason?: string;
  /** Why the run did not succeed, in words. */
  readonly message?: string;
  readonly answer?: string;
  readonly calls: readonly Pick<RehearsedCall, 'name' | 'input' | 'outcome'>[];
  /** Number of the model's replies. */
  readonly steps: number;
  /** Input and output tokens. */
  readonly tokens: number;
  /** USD for the model; with a scripted model, what the tokens would have cost. */
  readonly costUsd: number;
  /** USD for scoring. */
  readonly scoringUsd: number;
  /** Why the play could not finish. */
  readonly error?: string;
}

/** A case, and the results of all its plays. */
export interface CaseResult {
  /** `eval / case`. */
  readonly id: string;
  readonly eval: string;
  readonly case: string;
  /** Whether enough of its plays passed. */
  readonly passed: boolean;
  /** The fraction of plays that passed, from 0 to 1. */
  readonly passRate: number;
  /** The mean score of its plays. */
  readonly score: number;
  readonly plays: readonly Play[];
  /** Real ms of all its plays. */
  readonly ms: number;
}

/** A whole run. */
export interface EvalRun {
  /** In the order of their files. */
  readonly cases: readonly CaseResult[];
  /** Cases that were not played, or played too few times, because the run was stopped. */
  readonly unplayed: readonly Pick<CaseResult, 'id' | 'eval' | 'case'>[];
  readonly stopped?: 'interrupted' | 'max_usd';
  /** USD of all plays, and of scoring. */
  readonly costUsd: number;
  readonly scoringUsd: number;
}
