import { createPublicKey, verify as verifyBytes } from 'node:crypto';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import {
  inTime,
  missingHeaders,
  payloadOf,
  type Request,
  typeOf,
  type Verify,
  wrongSignature,
} from './delivery.ts';

/** Prefixes of the three headers: the standard's, and that of Svix, which had them first and sends them still. */
const PREFIXES = ['webhook', 'svix'] as const;

/**
 * Standard Webhooks. The standard's own library verifies `v1` (HMAC, secrets `whsec_…`). Node verifies `v1a` (ed25519, public
 * keys `whpk_…`), which the library does not support. The signed time may be 300 s from ours, in both directions.
 */
export const verifyStandard: Verify<unknown> = async (request, secrets) => {
  const { body, header } = request;
  // All three are read under one prefix, so that no signature is checked with the id of another.
  const prefix = PREFIXES.find((one) => header(`${one}-signature`)) ?? 'webhook';
  const id = header(`${prefix}-id`);
  const timestamp = header(`${prefix}-timestamp`);
  const signature = header(`${prefix}-signature`);
  if (!signature) throw wrongSignature('Send webhook-signature.');
  if (!id || !timestamp) throw missingHeaders('Send webhook-id and webhook-timestamp.');
  if (!/^\d{1,12}$/.test(timestamp)) throw wrongSignature('webhook-timestamp must be seconds since 1970.');
  const signed = { id, timestamp, signature };
  const isGood = (secret: string) =>
    secret.startsWith(PUBLIC_KEY) ? isSignedBy(secret, body, signed) : isMacOf(secret, body, signed);
  if (!secrets.some(isGood)) {
    throw wrongSignature('webhook-signature must have a v1 or v1a signature of the raw body, and be recent.');
  }
  inTime(Number(timestamp) * 1000, request);
  const payload = payloadOf(request);
  return { name: typeOf(payload), deliveryId: id, payload, key: id };
};

interface Signed {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
}

const PUBLIC_KEY = 'whpk_';

function isMacOf(secret: string, body: Request['body'], { id, timestamp, signature }: Signed): boolean {
  const webhook = new Webhook(secret);
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  try {
    webhook.verify(body, headers, { jsonParse: false });
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}

function isSignedBy(key: string, body: Request['body'], { id, timestamp, signature }: Signed): boolean {
  const publicKey = toPublicKey(key);
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  return signature
    .split(' ')
    .filter((one) => one.startsWith('v1a,'))
    .some((one) => {
      const written = one.slice('v1a,'.length);
      const bytes = Buffer.from(written, 'base64');
      // Buffer skips characters that it cannot decode, so the result is compared with the text.
      return bytes.toString('base64') === written && verifyBytes(null, content, publicKey, bytes);
    });
}

/** DER prefix (SubjectPublicKeyInfo) of an ed25519 key, before its 32 bytes (RFC 8410). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

function toPublicKey(text: string) {
  const raw = Buffer.from(text.slice(PUBLIC_KEY.length), 'base64');
  if (raw.length !== 32) throw new Error('a whpk_ key must have 32 bytes in base64');
  return createPublicKey({ key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' });
}
