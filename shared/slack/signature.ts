import { createHmac, timingSafeEqual } from 'node:crypto';

/** Seconds by which the time of a request may differ from ours, in either direction (docs.slack.dev, "Verifying requests from Slack"). */
export const SIGNATURE_WINDOW_SECONDS = 300;

export interface SignedRequest {
  /** The body, byte for byte. */
  readonly body: string;
  /** `X-Slack-Request-Timestamp`: epoch seconds. */
  readonly timestamp: string | undefined;
  /** `X-Slack-Signature`: `v0=` and 64 hex digits. */
  readonly signature: string | undefined;
}

/**
 * Whether Slack has signed this request, recently: `v0=` + HMAC-SHA256 of `v0:timestamp:body` with the app's signing
 * secret, compared in constant time. A replay within the window is recognized by the identity of its content.
 *
 * @param now epoch ms
 */
export function isSignedBySlack(
  { body, timestamp, signature }: SignedRequest,
  secret: string,
  now: number,
): boolean {
  if (!signature || !timestamp || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now / 1000 - Number(timestamp)) > SIGNATURE_WINDOW_SECONDS) return false;
  const sent = Buffer.from(signature);
  const expected = Buffer.from(signatureOf(body, timestamp, secret));
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}

/** The signature of a body at a time in epoch seconds. */
export const signatureOf = (body: string, timestamp: string, secret: string): string =>
  `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
