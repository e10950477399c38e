import * as z from 'zod';
import { DEFAULT_TENANT } from '../../contract/identity.ts';
import { Tenant } from '../../contract/session.ts';

/** The e-mail part of a definition: which agent answers at which address, and who may write to it (docs/email.md). */

/** An address in lower case, without a display name and without quotes. RFC 5321, section 4.5.3.1, allows 254 characters. */
const Address = z
  .string()
  .max(254)
  .regex(/^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'use an address in lower case');

/** An address, or a domain with `@` before it. */
const Sender = z
  .string()
  .max(254)
  .regex(
    /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]*@[a-z0-9-]+(\.[a-z0-9-]+)+$/,
    'use an address (bob@example.com) or a domain (@example.com), in lower case',
  );

const Mailbox = z.strictObject({
  /** The agent that answers, by name. A thread keeps the agent it began with. */
  agent: z.string().min(1),
  /** The tenant whose sessions the mails of this address are. */
  tenant: Tenant.default(DEFAULT_TENANT),
  /** The people who may write: addresses, domains (`@example.com`, without their subdomains), or `anyone`. Mail of others is dropped. */
  allow: z.union([z.literal('anyone'), z.array(Sender).min(1).max(1_000)]),
  /**
   * Whether a sender must be authenticated: DMARC passes, or the domain has no DMARC policy and SPF passes for exactly the domain in `From`.
   * `off` accepts whatever name a mail carries, so anyone can write in anyone's name.
   */
  authentication: z.enum(['required', 'off']).default('required'),
  /** The name beside the address of replies. None when absent. */
  name: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .regex(/^[^\p{C}"<>@,;:\\]+$/u, 'use letters, digits, spaces and simple punctuation')
    .optional(),
});

/** A deployment's settings for e-mail. */
export const Email = z.strictObject({
  /** By address: mails to any other address are dropped. `help+any@…` is delivered to `help@…`. */
  mailboxes: z
    .record(Address, Mailbox)
    .refine((all) => Object.keys(all).length > 0, 'name at least one address')
    // SES allows 100 recipients in a receipt rule (its quotas, "Email receiving").
    .refine((all) => Object.keys(all).length <= 100, 'name at most 100 addresses'),
});
/** A deployment's settings for e-mail. */
export type EmailConfig = z.output<typeof Email>;
/** One address: its agent, its tenant, and who may write to it. */
export type MailboxConfig = z.output<typeof Mailbox>;
