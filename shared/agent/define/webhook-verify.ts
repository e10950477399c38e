/** How the senders of webhooks are verified. */

import * as z from 'zod';
import { CapitalName } from './names.ts';

/** A request to a source, as it came. Nothing of it is verified. */
export interface WebhookRequest {
  readonly method: 'GET' | 'POST';
  /**
   * The URL with its query, as the gateway received it. Behind a proxy of your own it is not the URL that the sender calls: write
   * that one into the function if it is signed.
   */
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body byte for byte, which is what senders sign. */
  readonly body: Uint8Array;
  /** Epoch ms of its arrival. */
  readonly at: number;
}

/** For functions that verify a request. */
export interface VerifyTools {
  /** The source's secrets, of which any may have signed: more than one during a rotation. Empty if it names none. */
  readonly secrets: readonly string[];
  /** Whether two texts are equal, in constant time: for signatures and tokens. False if either is undefined. */
  readonly isSame: (a: string | undefined, b: string | undefined) => boolean;
}

/** A delivery that a function has verified. */
export interface VerifiedDelivery {
  /** The sender's id of the delivery, equal for its retries. Without it, deliveries with the same body count as one. */
  readonly id?: string | undefined;
  /** The event's kind; `type` of the payload when absent. */
  readonly name?: string | undefined;
  /** Epoch ms at which it was sent, if the sender signs that: more than 300 s from our clock it is refused. */
  readonly sentAt?: number | undefined;
}

/**
 * Verifies a request; true or the delivery's facts if the sender signed it, and false or undefined to refuse it with 401. It is
 * refused too if the function throws: comparing buffers of different length does.
 */
export type VerifyWebhook = (
  request: WebhookRequest,
  tools: VerifyTools,
) => VerifyResult | Promise<VerifyResult>;
type VerifyResult = VerifiedDelivery | boolean | undefined;

/**
 * Answers the requests by which a sender checks that the URL belongs to its owner: a text is sent as plain text, an object as
 * JSON, both with 200. Returns undefined for any other request, a delivery for instance. `verified` says whether the request has
 * the signature of a delivery; some senders sign their challenges, and most do not.
 */
export type WebhookChallenge = (
  request: WebhookRequest & { readonly verified: boolean },
  tools: VerifyTools,
) => ChallengeAnswer | Promise<ChallengeAnswer>;
type ChallengeAnswer = string | Readonly<Record<string, unknown>> | undefined;

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

/** A sender with a rule of its own, as a function. */
const Custom = z.strictObject({
  kind: z.literal('custom'),
  /** When absent, the function gets no secret: for senders that are verified by a certificate. */
  secret: secret.optional(),
  verify: z.custom<VerifyWebhook>((value) => typeof value === 'function', 'must be a function'),
  /** If the function returns an id. */
  sameBody,
});

/** How a sender is verified. Each kind has its own rule against replays: docs/webhooks.md. */
export const Verification = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('github'), secret, sameBody }),
  z.strictObject({ kind: z.literal('stripe'), secret }),
  /** Standard Webhooks: secrets `whsec_…` (v1), public keys `whpk_…` (v1a, ed25519), or some of both. */
  z.strictObject({ kind: z.literal('standard'), secret }),
  Hmac,
  Custom,
]);
export type Verification = z.infer<typeof Verification>;
