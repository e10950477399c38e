import { calls, rehearse, says } from 'steploop/testing';
import { expect, test } from 'vitest';
import { support } from '../agents/support.ts';

const refund: [string, object] = [
  'refund_order',
  { orderId: '1001', cents: 4_900, reason: 'It arrived broken.' },
];
const asked = 'Refund order 1001: it arrived broken.';

test('refunds an order after a person has approved it', async () => {
  const run = await rehearse(support, {
    user: asked,
    model: [calls(['lookup_order', { orderId: '1001' }]), calls(refund), says('Order 1001 is refunded.')],
    decides: () => true,
  });
  expect(run.calls).toMatchObject([
    { name: 'lookup_order', outcome: 'ok' },
    { name: 'refund_order', outcome: 'ok' },
  ]);
  expect(run.answer).toBe('Order 1001 is refunded.');
});

test('refunds nothing while no one has decided', async () => {
  const run = await rehearse(support, { user: asked, model: [calls(refund)] });
  expect(run.state).toBe('waiting_for_input');
  expect(run.starts).toEqual([]);
});
