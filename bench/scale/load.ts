/** What the sessions of the bench do. Times are in ms. */
export interface Load {
  /** Sessions that begin in one hour, evenly. */
  readonly sessions: number;
  /** Steps of each; the last one calls no tool. */
  readonly steps: number;
  /** How long the model speaks in a step, and its tool takes. */
  readonly modelMs: number;
  readonly toolMs: number;
  /** Of all sessions, that somebody follows. */
  readonly watched: number;
}

/** Seconds of the hour in which sessions begin. */
export const HOUR = 3600;

/** A session is at work for so long, in seconds. */
export const sessionSeconds = ({ steps, modelMs, toolMs }: Load): number =>
  (steps * modelMs + (steps - 1) * toolMs) / 1000;

/** Steps a second, of all sessions. */
export const stepsASecond = ({ sessions, steps }: Load): number => (sessions * steps) / HOUR;
