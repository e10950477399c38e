import { calls, rehearse, says } from 'steploop/testing';
import { expect, test } from 'vitest';
import { support } from '../agents/support.ts';

test('says where an order is, after it has looked', async () => {
  const run = await rehearse(support, {
    user: 'Where is order 1001?',
    // The model's replies, in order.
    model: [calls(['lookup_order', { orderId: '1001' }]), says('It was sent.')],
  });
  expect(run.calls).toMatchObject([{ name: 'lookup_order', outcome: 'ok' }]);
  expect(run.answer).toBe('It was sent.');
  expect(run.state).toBe('completed');
});
