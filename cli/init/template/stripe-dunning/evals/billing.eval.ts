import { defineEval, judge, neverCalls, scorer, trajectory, within } from 'steploop/evals';
import { calls, says } from 'steploop/testing';
import { billing } from '../agents/billing.ts';

const link = 'https://invoice.stripe.com/i/in_1';
const failed = (attempt: number) =>
  `The payment of invoice in_1 failed: 2900 cents (eur), attempt ${attempt}. The customer is cus_1.`;

/** A Stripe with one customer, and a mail service. */
const world = (status: 'open' | 'paid') => ({
  read_customer: () => ({
    name: 'Ada',
    email: 'ada@example.com',
    invoices: [
      { id: 'in_1', status, amount_due: 2_900, currency: 'eur', attempt_count: 1, hosted_invoice_url: link },
    ],
  }),
  send_email: () => ({ sent: true }),
});

const reads = calls(['read_customer', { customer: 'cus_1' }]);
const writes = (text: string) => calls(['send_email', { customer: 'cus_1', subject: 'Your invoice', text }]);

/** The email has all of these. */
const mails = (...wanted: RegExp[]) =>
  scorer('mails', ({ calls }) => {
    const text = JSON.stringify(calls.find(({ name }) => name === 'send_email')?.input ?? '');
    return wanted.every((words) => words.test(text));
  });

export default defineEval({
  agent: billing,
  decides: () => true,
  expect: [within({ steps: 4, costUsd: 0.05 })],
  cases: [
    {
      name: 'a first failure',
      user: failed(1),
      tools: world('open'),
      script: [reads, writes(`Dear Ada, your card may have expired. Pay 29.00 EUR: ${link}`), says('Done.')],
      expect: [
        trajectory(['read_customer', 'send_email']),
        mails(/29/, /invoice\.stripe\.com/),
        judge({ asks: 'Is the email friendly, and free of threats and discounts?' }),
      ],
    },
    {
      name: 'a third failure names a day',
      user: failed(3),
      tools: world('open'),
      script: [
        reads,
        writes(`Dear Ada, please pay 29.00 EUR: ${link}. The service stops in seven days.`),
        says('Done.'),
      ],
      expect: [trajectory(['read_customer', 'send_email']), mails(/stop|end|pause/i, /invoice\.stripe\.com/)],
    },
    {
      name: 'an invoice that is paid by now',
      user: failed(2),
      tools: world('paid'),
      script: [reads, says('The invoice is paid by now, so I wrote nothing.')],
      expect: [trajectory(['read_customer']), neverCalls('send_email')],
    },
  ],
});
