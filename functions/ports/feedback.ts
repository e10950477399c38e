import { readOnce } from '../../shared/agent/plain/read-once.ts';
import type { Dynamo } from '../../shared/aws/dynamo.ts';
import type { FeedbackStore } from '../../shared/edge/feedback.ts';

/** Ratings of answers. Loaded by the first request for some, or the first rating. */
export function feedbackOf(dynamo: Dynamo): FeedbackStore {
  const read = readOnce(() => import('../../shared/aws/feedback.ts'));
  const open = async () => (await read()).createFeedback(dynamo);
  return {
    put: async (...args) => (await open()).put(...args),
    all: async (key) => (await open()).all(key),
  };
}
