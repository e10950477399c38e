/**
 * What a definition tells about webhooks: from whom they come and how that is proved, and which events wake which
 * agent, in which session.
 */

import * as z from 'zod';
import { DEFAULT_TENANT } from '../../contract/identity.ts';
import { Tenant } from '../../contract/session.ts';
import { explainInLines } from '../plain/explain.ts';
import { CapitalName } from './names.ts';

/** A delivery that was verified. */
export interface WebhookEvent<Payload = unknown> {
  /** The event's kind, as the sender names it: `issues`, `invoice.paid`. Empty when the sender names none. */
  readonly name: string;
  /** The sender's id of this delivery. Its retries have the same one. */
  readonly deliveryId: string;
  /** JSON, or a form's fields, that nobody has looked at yet, unless the source has a `payload` schema. */
  readonly payload: Payload;
}

/** What a delivery does: a message for an agent, in the one session that `sessionKey` names. */
export interface Wakeup {
  readonly agent: string;
  /** Equal keys meet in one session: `github:owner/repo#12`. */
  readonly sessionKey: string;
  /** What is above 100,000 characters is cut, with a mark. */
  readonly message: string;
  /** What comes with the message, at most ten. What cannot be had or used is named in the message, which comes all the same. */
  readonly files?: readonly WakeupFile[];
  /**
   * Where the ends and waits of the session's runs are posted, signed (docs/webhooks.md). Heeded when the session is
   * made; one that is there already keeps what it has.
   */
  readonly callbackUrl?: string;
  /** Time zone in which the message is dated for the model, by its IANA name; the agent's `context.zone` when absent. */
  readonly zone?: string;
}

/**
 * Something that comes with a message: its bytes, or a link to them. Images and PDFs are seen by the model, an archive `….zip` is
 * unpacked, all else is a file of the workspace (docs/attachments.md).
 */
export type WakeupFile = {
  readonly name: string;
  /** The folder of the workspace for what becomes a file; the root when absent. */
  readonly folder?: string;
} & (
  | { readonly text: string }
  | { readonly base64: string }
  /** A public address, `https:`, that needs no key. Fetched when the delivery comes, in a few seconds or not at all. */
  | { readonly url: string }
);

/**
 * Maps a delivery to what it does; undefined when it is nobody's business. Pure. What it throws at is kept until it was
 * mended (docs/webhooks.md, "dead deliveries").
 */
export type WebhookMapping<Payload = unknown> = (event: WebhookEvent<Payload>) => Wakeup | undefined;

/**
 * Names a secret of the deployment's `secrets`. Its value is one or more secrets with space between them: more than one
 * while they are rotated.
 */
const secret = CapitalName;
const header = z
  .string()
  .regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header')
  .transform((name) => name.toLowerCase());

/**
 * What the same signed bytes under another delivery id are, where the sender does not sign its ids. `replay`: somebody
 * has captured a delivery and sends it again; it has no effect. `new`: an event of its own, for senders whose events
 * may be equal to the byte, `{ "event": "tick" }`; then whoever has seen one delivery can repeat it at will.
 */
const sameBody = z.enum(['replay', 'new']).default('replay');

const Hmac = z.strictObject({
  kind: z.literal('hmac'),
  secret,
  /** The header that has the signature. */
  header,
  algorithm: z.enum(['sha256', 'sha512', 'sha1']).default('sha256'),
  encoding: z.enum(['hex', 'base64']).default('hex'),
  /** What stands before the signature in its header: `sha256=`. */
  prefix: z.string().default(''),
  /**
   * The header that has the time of sending, when the sender signs one. What is signed is `signed` with the header's
   * value and the raw body in their places. Deliveries more than 300 s old or early are refused.
   */
  timestamp: z
    .strictObject({
      header,
      unit: z.enum(['s', 'ms']).default('s'),
      signed: z
        .string()
        .regex(/^[^{}]*\{timestamp\}[^{}]*\{body\}[^{}]*$/, 'must have {timestamp}, then {body}')
        .default('{timestamp}.{body}'),
    })
    .optional(),
  /** The header that has the delivery's id. Without it, deliveries with the same body are one. */
  idHeader: header.optional(),
  /** With `idHeader`. Where a time is signed too, it is what is signed once that counts: a tick each minute is new. */
  sameBody,
  /** The header that names the event's kind. Without it, `type` of the payload does. */
  nameHeader: header.optional(),
});

/** How a sender proves itself. Each kind has its own rule against replays: docs/webhooks.md. */
export const Verification = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('github'), secret, sameBody }),
  z.strictObject({ kind: z.literal('stripe'), secret }),
  /** Standard Webhooks: secrets `whsec_…` (v1), public keys `whpk_…` (v1a, ed25519), or some of both. */
  z.strictObject({ kind: z.literal('standard'), secret }),
  Hmac,
]);
export type Verification = z.infer<typeof Verification>;

/** Events of one sender, at `POST /hooks/{source}`. */
export interface WebhookSource {
  readonly verify: Verification;
  /** Whose sessions they wake. */
  readonly tenant: string;
  readonly map: WebhookMapping;
}

/** What `defineWebhook` takes. */
export interface WebhookDeclaration<Payload> {
  readonly verify: z.input<typeof Verification>;
  /** `default` when absent. */
  readonly tenant?: string;
  /** What the payload must be; other events are nobody's business. */
  readonly payload?: z.ZodType<Payload>;
  readonly map: WebhookMapping<Payload>;
}

/** Declares a source. Throws when it is not valid, and says why; unknown keys are refused. */
export function defineWebhook<Payload = unknown>(declaration: WebhookDeclaration<Payload>): WebhookSource {
  const parsed = Declaration.safeParse(declaration);
  if (!parsed.success) {
    const lines = explainInLines(parsed.error, Declaration);
    throw new Error(lines.map((line) => `webhook, ${line}`).join('\n'));
  }
  const { verify, tenant } = parsed.data;
  const { payload: schema, map } = declaration;
  return Object.freeze({
    verify,
    tenant,
    map(event: WebhookEvent) {
      if (!schema) return map(event as WebhookEvent<Payload>);
      const parsed = schema.safeParse(event.payload);
      return parsed.success ? map({ ...event, payload: parsed.data }) : undefined;
    },
  });
}

const Declaration = z.strictObject({
  verify: Verification,
  tenant: Tenant.default(DEFAULT_TENANT),
  payload: z.unknown().optional(),
  map: z.custom((value) => typeof value === 'function', 'must be a function'),
});
