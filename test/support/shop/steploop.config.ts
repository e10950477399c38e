/** A small project as a user has it: a secret, buckets, a webhook, and no Slack. */

import { defineDeployment, defineWebhook } from 'steploop';
import { keeper } from './agents/keeper.ts';

export default defineDeployment({
  agents: [keeper],
  webhooks: {
    shop: defineWebhook({
      verify: { kind: 'standard', secret: 'SHOP_WEBHOOK_SECRET' },
      map: () => ({ agent: 'keeper', sessionKey: 'shop', message: 'Something happened.' }),
    }),
  },
  settings: {
    ORDERS_BUCKET: { description: 'Where orders are kept.' },
    VAULT_BUCKET: { description: 'A bucket that no tool may read.' },
    CURRENCY: { description: 'Of prices.', default: 'EUR' },
  },
  secrets: {
    ANTHROPIC_API_KEY: { description: 'Key of the model.' },
    SHOP_TOKEN: { description: 'Token of the shop.' },
    SHOP_WEBHOOK_SECRET: { description: 'The secret that signs the shop’s webhooks.' },
  },
});
