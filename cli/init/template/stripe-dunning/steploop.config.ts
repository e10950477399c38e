import { defineDeployment } from 'steploop';
import { billing } from './agents/billing.ts';
import { onStripe } from './agents/webhook.ts';

/** The unit of deployment: the agents, and their shared configuration. */
export default defineDeployment({
  agents: [billing],
  // POST /hooks/stripe
  webhooks: { stripe: onStripe },
  settings: {
    MAIL_URL: { description: 'Where emails are posted as JSON.', default: 'https://mail.example.com/send' },
  },
  secrets: {
    STRIPE_WEBHOOK_SECRET: { description: 'What Stripe signs its webhooks with (whsec_…).' },
    STRIPE_API_KEY: { description: 'A restricted key of Stripe that may read customers and invoices.' },
    MAIL_TOKEN: { description: 'A token of the mail service.' },
  },
});
