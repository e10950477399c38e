import { contains, defineEval, judge, trajectory, within } from 'steploop/evals';
import { support } from '../agents/support.ts';

/** Cases that the agent must handle correctly with any model: `npm run eval`. */
export default defineEval({
  agent: support,
  // For every case.
  expect: [within({ steps: 4, costUsd: 0.05 })],
  cases: [
    {
      name: 'says where an order is',
      user: 'Where is order 1001?',
      expect: [trajectory([['lookup_order', { orderId: '1001' }]]), contains('sent')],
    },
    {
      name: 'says so when there is no such order',
      user: 'Where is order 77?',
      // Replaces the tool, so that the case never changes.
      tools: { lookup_order: () => ({ error: 'There is no order 77.' }) },
      expect: [
        trajectory(['lookup_order']),
        contains('no order'),
        // Asks a model, if there is a key for one.
        judge({ asks: 'Does the answer say that there is no such order, and make up nothing about it?' }),
      ],
    },
  ],
});
