import type { Rating } from '../contract/feedback.ts';
import type { SessionKey } from '../contract/session.ts';

/** A person's rating of a run's answer. */
export interface Feedback {
  /** The session's run (`run.id`), without the numbers of its AG-UI runs. */
  readonly runId: string;
  /** Subject of the person. */
  readonly by: string;
  readonly rating: Rating;
  /** Epoch ms. */
  readonly at: number;
}

/**
 * Ratings of answers, stored beside their sessions and deleted with them. Rejects when the store cannot be reached; each operation may be
 * repeated.
 */
export interface FeedbackStore {
  /** Stores a rating in place of an earlier one of the same person for the same run. One that is older than the stored one changes nothing. */
  put(key: SessionKey, feedback: Feedback): Promise<void>;
  /** All ratings of a session, by run and person. */
  all(key: SessionKey): Promise<Feedback[]>;
}
