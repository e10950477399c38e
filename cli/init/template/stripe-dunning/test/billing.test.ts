import { calls, rehearse, says } from 'steploop/testing';
import { expect, test } from 'vitest';
import { billing } from '../agents/billing.ts';
import { onStripe } from '../agents/webhook.ts';

const failed = onStripe.map({
  name: 'invoice.payment_failed',
  deliveryId: 'evt_1',
  headers: {},
  payload: {
    data: {
      object: { id: 'in_1', customer: 'cus_1', amount_due: 2_900, currency: 'eur', attempt_count: 1 },
    },
  },
});
const mail = { customer: 'cus_1', subject: 'Your invoice in_1', text: 'Please pay 29 euros.' };
const rehearsal = {
  user: failed?.message ?? '',
  model: [
    calls(['read_customer', { customer: 'cus_1' }]),
    calls(['send_email', mail]),
    says('I wrote to them.'),
  ],
  tools: { read_customer: () => ({ name: 'Ada', invoices: [] }), send_email: () => ({ sent: true }) },
};

test('a failed payment leads to one email, after a person has read it', async () => {
  expect(failed?.sessionKey).toBe('stripe:cus_1');
  const run = await rehearse(billing, { ...rehearsal, decides: () => true });
  expect(run.calls).toMatchObject([
    { name: 'read_customer', outcome: 'ok' },
    { name: 'send_email', outcome: 'ok', input: mail },
  ]);
  expect(run.state).toBe('completed');
});

test('nothing is sent while no one has read it', async () => {
  const run = await rehearse(billing, rehearsal);
  expect(run.state).toBe('waiting_for_input');
  expect(run.starts.map(({ name }) => name)).toEqual(['read_customer']);
});
