/** The workload of the benchmark's sessions. Times are in ms. */
export interface Load {
  /** Sessions that begin in one hour, evenly. */
  readonly sessions: number;
  /** Steps of each; the last one calls no tool. */
  readonly steps: number;
  /** How long the model call of a step takes, and its tool. */
  readonly modelMs: number;
  readonly toolMs: number;
  /** The share of all sessions that has a follower. */
  readonly watched: number;
}

/** Seconds of the hour in which sessions begin. */
export const HOUR = 3600;

/** How long a session runs, in seconds. */
export const sessionSeconds = ({ steps, modelMs, toolMs }: Load): number =>
  (steps * modelMs + (steps - 1) * toolMs) / 1000;

/** Steps a second, over all sessions. */
export const stepsASecond = ({ sessions, steps }: Load): number => (sessions * steps) / HOUR;
