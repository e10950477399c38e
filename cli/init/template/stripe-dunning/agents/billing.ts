import { defineAgent, defineTool } from 'steploop';
import * as z from 'zod';

const customer = z.string().regex(/^cus_\w+$/);

/** https://docs.stripe.com/api/customers/object */
const Customer = z.object({ name: z.string().nullish(), email: z.string().nullish(), created: z.int() });
/** https://docs.stripe.com/api/invoices/object */
const Invoices = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      status: z.string().nullish(),
      amount_due: z.int(),
      currency: z.string(),
      attempt_count: z.int(),
      hosted_invoice_url: z.string().nullish(),
    }),
  ),
});

const readCustomer = defineTool({
  name: 'read_customer',
  description: 'Reads a customer and their last ten invoices. Amounts are in cents.',
  effect: 'read',
  input: z.object({ customer }),
  secrets: ['STRIPE_API_KEY'],
  run: async ({ customer }, { secret, signal }) => {
    const headers = { authorization: `Bearer ${await secret('STRIPE_API_KEY')}` };
    const get = async (path: string): Promise<unknown> => {
      const response = await fetch(`https://api.stripe.com/v1/${path}`, { headers, signal });
      if (!response.ok) throw new Error(`Stripe answered ${response.status}: ${await response.text()}`);
      return response.json();
    };
    const [about, invoices] = await Promise.all([
      get(`customers/${customer}`),
      get(`invoices?customer=${customer}&limit=10`),
    ]);
    return { ...Customer.parse(about), invoices: Invoices.parse(invoices).data };
  },
});

const sendEmail = defineTool({
  name: 'send_email',
  description: 'Sends an email to the customer. A person reads it before it is sent.',
  effect: 'once',
  // Over HTTP, in the console, or in Slack. With 'never' it is sent at once.
  approval: 'always',
  input: z.object({ customer, subject: z.string().min(1).max(100), text: z.string().min(1).max(3_000) }),
  settings: ['MAIL_URL'],
  secrets: ['MAIL_TOKEN'],
  run: async (mail, { setting, secret, idempotencyKey, signal }) => {
    const response = await fetch(setting('MAIL_URL'), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await secret('MAIL_TOKEN')}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify(mail),
      signal,
    });
    if (!response.ok) throw new Error(`The mail service answered ${response.status}: nothing was sent.`);
    return { sent: true };
  },
});

export const billing = defineAgent({
  name: 'billing',
  version: '1',
  model: { name: 'claude-sonnet-5-5', maxTokens: 4096 },
  system: `You write to customers whose payment failed.

1. Read the customer.
2. If the invoice is paid by now, stop and say so.
3. Write one email of at most 120 words, in plain and friendly words: which invoice, how much, and the link to pay it. Assume an expired card before you assume bad will. From the third try on, name the day on which the service stops: seven days from now.
4. Say in a sentence what you did.

Never threaten, and never promise a discount.`,
  tools: [readCustomer, sendEmail],
  limits: { maxSteps: 10, timeoutSeconds: 300, costLimitUsd: 0.3 },
});
