import { defineWebhook } from 'steploop';
import * as z from 'zod';

/** A failed payment: https://docs.stripe.com/api/events/types#event_types-invoice.payment_failed */
const Payload = z.object({
  data: z.object({
    object: z.object({
      id: z.string(),
      customer: z.string(),
      amount_due: z.int(),
      currency: z.string(),
      attempt_count: z.int(),
    }),
  }),
});

/** One session for each customer, so that the agent knows what it wrote before. */
export const onStripe = defineWebhook({
  verify: { kind: 'stripe', secret: 'STRIPE_WEBHOOK_SECRET' },
  events: ['invoice.payment_failed'],
  payload: Payload,
  map({ payload }) {
    const { id, customer, amount_due: cents, currency, attempt_count: attempt } = payload.data.object;
    return {
      agent: 'billing',
      sessionKey: `stripe:${customer}`,
      message: `The payment of invoice ${id} failed: ${cents} cents (${currency}), attempt ${attempt}. The customer is ${customer}.`,
    };
  },
});
