export const ratings = ['good', 'bad'] as const;
/** How a person rates an answer. */
export type Rating = (typeof ratings)[number];

/** A person's rating of the answer of one of a session's runs (`GET /sessions/{sessionId}/feedback`). */
export interface FeedbackInfo {
  /** The run, as in `run.id` of the session. */
  readonly runId: string;
  readonly rating: Rating;
  /** Subject of the person, such as `slack:T0123:U0123`. */
  readonly by: string;
  /** ISO time. */
  readonly at: string;
}
