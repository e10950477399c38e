/** A tenant's history of days: `GET /history` (docs/days.md). */
import * as z from 'zod';
import type { Reason } from './session.ts';

/** Days that can be asked for, and that are kept. */
export const MAX_DAYS = 90;

/** `GET /history?days=`: the last days, today included. */
export const DaysQuery = z.strictObject({
  days: z.coerce.number().int().min(1).max(MAX_DAYS).default(30),
});

/** How a run ended. `unknown`: another run of its session followed, and nothing stored says why the earlier one ended. */
export type EndedFor = Reason | 'unknown';

/** How long runs took, without waits for people. Each value is at most 5 % off, because runs are counted by size. */
export interface Durations {
  /** Runs whose duration is known. */
  readonly count: number;
  /** Ms; absent if no duration is known. */
  readonly p50Ms?: number;
  readonly p95Ms?: number;
}

/** The figures of a day, or of several. */
export interface Figures {
  /** Runs that ended. */
  readonly runs: number;
  /** Those of them that neither completed nor were cancelled. */
  readonly failed: number;
  /** Ended runs by reason, the most frequent first. */
  readonly reasons: readonly { readonly reason: EndedFor; readonly runs: number }[];
  readonly durations: Durations;
  /** Model calls that got a reply. */
  readonly steps: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** USD for models. */
  readonly costUsd: number;
  /** The part of `costUsd` for calls that produced nothing: no model has it. */
  readonly lostUsd: number;
  /** USD for infrastructure, as far as steps counted it. */
  readonly infraUsd: number;
}

/** A UTC day. */
export interface DayInfo extends Figures {
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** Sessions that had a step or the end of a run. */
  readonly sessions: number;
  /** Some sessions are not counted: there were too many, or they could not be read. */
  readonly partial?: true;
}

/** An agent's share. */
export interface AgentFigures {
  readonly name: string;
  readonly runs: number;
  readonly failed: number;
  readonly steps: number;
  /** USD for models. */
  readonly costUsd: number;
}

/** A model's share: replies, summaries and assessments. */
export interface ModelFigures {
  /** As its server names it. */
  readonly name: string;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** USD. */
  readonly costUsd: number;
}

/** A tool's share. */
export interface ToolFigures {
  readonly name: string;
  readonly calls: number;
  /** Calls that ended with an error, or of which no outcome is known. */
  readonly failed: number;
  /** Ms in all its calls. */
  readonly ms: number;
  /** USD of the replies that asked for it, in equal parts for each of their calls. */
  readonly costUsd: number;
}

/** `GET /history` */
export interface DaysAnswer {
  /** Oldest first; the last one is today, so far. A day that is not counted yet is missing. */
  readonly days: readonly DayInfo[];
  /** Days of these that are over and not counted yet: the sweeper counts them. */
  readonly pending: number;
  /** All of `days` together. */
  readonly total: Figures;
  /** The highest cost first. `(others)` has what is beyond 200 names. */
  readonly agents: readonly AgentFigures[];
  readonly models: readonly ModelFigures[];
  /** Most calls first. */
  readonly tools: readonly ToolFigures[];
}
