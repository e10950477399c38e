import type { FeedbackStore } from '../edge/feedback.ts';
import { copy, keep } from './copy.ts';
import { mapIn, pkOf, type Table } from './table.ts';

/** Ratings of answers in memory. */
export const createFeedback = ({ feedback }: Pick<Table, 'feedback'>): FeedbackStore => ({
  async put(key, one) {
    const own = mapIn(feedback, pkOf(key));
    const place = `${one.runId}#${one.by}`;
    if ((own.get(place)?.at ?? 0) <= one.at) own.set(place, keep(one));
  },
  async all(key) {
    const own = [...(feedback.get(pkOf(key)) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    return copy(own.map(([, one]) => one));
  },
});
