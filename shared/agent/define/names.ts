import * as z from 'zod';

/** How settings and secrets are named: as in a `.env` file, where the laptop reads them. */
export const CapitalName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'must be a name in capitals, as STRIPE_WEBHOOK_SECRET is');
