import * as z from 'zod';

/** The form of names of settings and secrets: as in a `.env` file, where the laptop reads them. */
export const CapitalName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'must be a name in capitals, such as STRIPE_WEBHOOK_SECRET');
