import { beforeEach, describe, expect, test } from 'vitest';
import type { Feedback, FeedbackStore } from '../../shared/edge/feedback.ts';
import { key, now } from './harness.ts';

/** The contract of `FeedbackStore`. */
export function feedbackContract(name: string, open: () => Promise<FeedbackStore>): void {
  describe(`${name}: ratings of answers`, () => {
    let store: FeedbackStore;
    beforeEach(async () => {
      store = await open();
    });
    const rating = (over: Partial<Feedback> = {}): Feedback => ({
      ...{ runId: 's1-0', by: 'slack:T1:U1', rating: 'good', at: now },
      ...over,
    });

    test('each person rates each run once, and may change their mind', async () => {
      expect(await store.all(key)).toEqual([]);
      await store.put(key, rating());
      await store.put(key, rating({ rating: 'bad', at: now + 1 }));
      await store.put(key, rating({ by: 'slack:T1:U2' }));
      await store.put(key, rating({ runId: 's1-4' }));
      expect(await store.all(key)).toEqual([
        rating({ rating: 'bad', at: now + 1 }),
        rating({ by: 'slack:T1:U2' }),
        rating({ runId: 's1-4' }),
      ]);
    });

    test('one that comes late does not replace a later one', async () => {
      await store.put(key, rating({ rating: 'bad', at: now + 1 }));
      await store.put(key, rating());
      expect(await store.all(key)).toEqual([rating({ rating: 'bad', at: now + 1 })]);
    });

    test('belongs to its session alone', async () => {
      await store.put(key, rating());
      expect(await store.all({ ...key, sessionId: 'other' })).toEqual([]);
      expect(await store.all({ ...key, tenant: 'other' })).toEqual([]);
    });
  });
}
