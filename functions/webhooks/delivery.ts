import { isUtf8 } from 'node:buffer';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { WebhookEvent } from '../../agents/webhook.ts';
import { Refusal } from '../middleware/problem.ts';
import { rawBytes } from '../middleware/request.ts';

/** A request at a webhook's URL, before anything about it is believed. */
export interface Request {
  /** The body as it was sent, to the byte: what is signed. */
  readonly body: Buffer;
  /** A header by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** Epoch ms at which it came. */
  readonly at: number;
}

/** A delivery that its sender has signed. */
export interface Delivery extends WebhookEvent {
  /** Equal for the sender's retries and for nothing else. */
  readonly key: string;
  /** What is signed, when the id is no part of it, and what is signed comes once: the same under another id is a replay. */
  readonly signed?: Uint8Array;
}

/** Verifies a delivery with any one of the sender's secrets. Refuses what is not signed, before anything is stored. */
export type Verify<Rule> = (request: Request, secrets: readonly string[], rule: Rule) => Promise<Delivery>;

/** Bodies above this many bytes are refused; those of the senders known here are far below. */
const MAX_BYTES = 1024 * 1024;

/** How far a signed time may be from ours, in ms, both ways: Stripe's default and Standard Webhooks' (300 s). */
export const TOLERANCE_MS = 300_000;

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Takes a request as it came. Refuses what cannot be JSON with 400, and what is too large with 413. */
export function requestOf(event: APIGatewayProxyEventV2, at: number): Request {
  const headers = new Map(Object.entries(event.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const body = rawBytes(event, MAX_BYTES);
  // Libraries that take text would verify what these bytes are read as, and not what they are.
  if (!isUtf8(body) || body.subarray(0, 3).equals(BOM)) {
    throw new Refusal(400, 'Malformed body', { detail: 'Send JSON in UTF-8, without a byte order mark.' });
  }
  return { body, header: (name) => headers.get(name), at };
}

/** Refuses with 401. Which part was wrong is not said beyond what the sender needs. */
export const wrongSignature = (detail: string): Refusal => new Refusal(401, 'Wrong signature', { detail });

export const missingHeaders = (detail: string): Refusal => new Refusal(400, 'Missing headers', { detail });

/** Refuses a signed time that is too far from ours. Look at it only when the signature is good. */
export function inTime(sentAt: number, { at }: Request): void {
  if (Math.abs(at - sentAt) <= TOLERANCE_MS) return;
  throw wrongSignature('The time of the signature is more than 300 seconds from ours.');
}

/** The body as JSON. Refuses anything else with 400. */
export function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new Refusal(400, 'Malformed JSON', {
      detail: 'Set the content type of the webhook to application/json.',
    });
  }
}

/** The `type` of a payload that has one. */
export function typeOf(payload: unknown): string {
  const type = typeof payload === 'object' && payload !== null && 'type' in payload ? payload.type : '';
  return typeof type === 'string' ? type : '';
}
