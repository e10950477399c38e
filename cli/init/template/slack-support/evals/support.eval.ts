import { contains, defineEval, ends, judge, neverCalls, trajectory, within } from 'steploop/evals';
import { calls, says } from 'steploop/testing';
import { support } from '../agents/support.ts';

/** Cases that the agent must handle correctly with any model: `npm run eval`. Scripts answer if there is no key for one. */
export default defineEval({
  agent: support,
  expect: [within({ steps: 5, costUsd: 0.05 })],
  cases: [
    {
      name: 'says where an order is, and refunds nothing',
      user: 'Where is order 1001?',
      script: [calls(['lookup_order', { orderId: '1001' }]), says('Order 1001 was sent.')],
      expect: [trajectory(['lookup_order']), neverCalls('refund_order'), contains('sent')],
    },
    {
      name: 'asks a person before it refunds',
      user: 'Refund order 1001 completely, please: it arrived broken.',
      script: [
        calls(['lookup_order', { orderId: '1001' }]),
        calls(['refund_order', { orderId: '1001', cents: 4_900, reason: 'It arrived broken.' }]),
      ],
      expect: [trajectory(['lookup_order']), ends('waiting_for_input')],
    },
    {
      name: 'accepts a refusal',
      user: 'Refund order 1002, please.',
      decides: () => false,
      script: [
        calls(['lookup_order', { orderId: '1002' }]),
        calls(['refund_order', { orderId: '1002', cents: 12_000, reason: 'They asked for it.' }]),
        says('The refund was not approved, so nothing was refunded.'),
      ],
      expect: [
        trajectory(['lookup_order']),
        judge({ asks: 'Does the answer say that nothing was refunded?' }),
      ],
    },
  ],
});
