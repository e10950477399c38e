import type { FeedbackStore } from '../edge/feedback.ts';
import type { Dynamo } from './dynamo.ts';
import { endOf, feedbackKey, feedbackPrefix, pkOf } from './layout.ts';

/** Ratings of answers: an item for each person and run, in the partition of their session. */
export const createFeedback = (dynamo: Dynamo): FeedbackStore => ({
  async put(key, feedback) {
    const { runId, by, at } = feedback;
    const isNewer = 'attribute_not_exists(#pk) OR #at <= :at';
    await dynamo.put({ ...feedbackKey(key, runId, by), ...feedback }, [isNewer], { at });
  },
  async all(key) {
    const found = [];
    for await (const item of dynamo.range(pkOf(key), feedbackPrefix, endOf(feedbackPrefix))) {
      const { runId, by, rating, at } = item;
      found.push({ runId, by, rating, at });
    }
    return found;
  },
});
