/** The webhooks of a definition: their senders, how a sender is verified, and which events wake which agent, in which session. */

import * as z from 'zod';
import { DEFAULT_TENANT } from '../../contract/identity.ts';
import { Tenant } from '../../contract/session.ts';
import { explainInLines } from '../plain/explain.ts';
import { CapitalName } from './names.ts';

/** A verified delivery. */
export interface WebhookEvent<Payload = unknown> {
  /** The event's kind, as the sender names it: `issues`, `invoice.paid`. Empty if the sender names none. */
  readonly name: string;
  /** The sender's id of this delivery. Its retries have the same one. */
  readonly deliveryId: string;
  /** JSON, or a form's fields, not validated unless the source has a `payload` schema. */
  readonly payload: Payload;
}

/** The effect of a delivery: a message for an agent, in the one session that `sessionKey` names. */
export interface Wakeup {
  readonly agent: string;
  /** Equal keys lead to the same session: `github:owner/repo#12`. */
  readonly sessionKey: string;
  /** Cut above 100,000 characters, with a mark. */
  readonly message: string;
  /**
   * Files that come with the message, at most ten. The message names those that cannot be fetched or used, and is sent all the
   * same.
   */
  readonly files?: readonly WakeupFile[];
  /**
   * The URL to which the ends and waits of the session's runs are posted, signed (docs/webhooks.md). Used when the session is
   * created; an existing session keeps its own.
   */
  readonly callbackUrl?: string;
  /** Time zone in which the message is dated for the model, by its IANA name; the agent's `context.zone` when absent. */
  readonly zone?: string;
}

/**
 * A file that comes with a message: its bytes, or a link to them. The model sees images and PDFs, an archive `….zip` is unpacked,
 * and everything else becomes a file of the workspace (docs/attachments.md).
 */
export type WakeupFile = {
  readonly name: string;
  /** The workspace folder for what becomes a file; the root when absent. */
  readonly folder?: string;
} & (
  | { readonly text: string }
  | { readonly base64: string }
  /** A public address, `https:`, that needs no key. Fetched when the delivery arrives, within a few seconds or not at all. */
  | { readonly url: string }
);

/**
 * Maps a delivery to its effect; undefined to ignore it. Pure. If it throws, the delivery is kept until the mapping is fixed
 * (docs/webhooks.md, "dead deliveries").
 */
export type WebhookMapping<Payload = unknown> = (event: WebhookEvent<Payload>) => Wakeup | undefined;

/**
 * The name of one of the deployment's `secrets`. Its value is one or more secrets separated by spaces: more than one during a
 * rotation.
 */
const secret = CapitalName;
const header = z
  .string()
  .regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header')
  .transform((name) => name.toLowerCase());

/**
 * The meaning of the same signed bytes under another delivery id, if the sender does not sign its ids. `replay`: a captured
 * delivery that was sent again; it has no effect. `new`: a separate event, for senders whose events may be identical to the byte,
 * `{ "event": "tick" }`; then anyone who has seen one delivery can repeat it at will.
 */
const sameBody = z.enum(['replay', 'new']).default('replay');

const Hmac = z.strictObject({
  kind: z.literal('hmac'),
  secret,
  /** The header with the signature. */
  header,
  algorithm: z.enum(['sha256', 'sha512', 'sha1']).default('sha256'),
  encoding: z.enum(['hex', 'base64']).default('hex'),
  /** The text before the signature in its header: `sha256=`. */
  prefix: z.string().default(''),
  /**
   * The header with the time of sending, if the sender signs one. The signed text is `signed`, with the header's value and the
   * raw body in their places. Deliveries more than 300 s late or early are refused.
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
  /** The header with the delivery's id. Without it, deliveries with the same body count as one. */
  idHeader: header.optional(),
  /** With `idHeader`. If a time is signed too, the signed text is compared: a tick each minute is new. */
  sameBody,
  /** The header that names the event's kind. Without it, `type` of the payload does. */
  nameHeader: header.optional(),
});

/** How a sender is verified. Each kind has its own rule against replays: docs/webhooks.md. */
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
  /** The tenant whose sessions they wake. */
  readonly tenant: string;
  readonly map: WebhookMapping;
}

/** The argument of `defineWebhook`. */
export interface WebhookDeclaration<Payload> {
  readonly verify: z.input<typeof Verification>;
  /** `default` when absent. */
  readonly tenant?: string;
  /** A schema for the payload; other events are ignored. */
  readonly payload?: z.ZodType<Payload>;
  readonly map: WebhookMapping<Payload>;
}

/** Declares a source. Unknown keys are refused. Throws if it is not valid, and says why. */
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
