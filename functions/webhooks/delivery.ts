import { isUtf8 } from 'node:buffer';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { WebhookEvent } from '../../shared/agent/define/webhook.ts';
import { parseExactly } from '../../shared/agent/plain/digits.ts';
import { Refusal } from '../middleware/problem.ts';
import { rawBytes } from '../middleware/request.ts';

/** A request at a webhook's URL, before anything about it is believed. */
export interface Request {
  /** The body as it was sent, to the byte: what is signed. */
  readonly body: Buffer;
  /** A header by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** Epoch ms, by our clock: what signed times are held against. */
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

/** How far a signed time may be from ours, in ms, both ways: Stripe's default and Standard Webhooks' (300 s). */
export const TOLERANCE_MS = 300_000;

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Takes a request as it came. Refuses with 400 what is no text in UTF-8. What is too large has been refused before: an
 * invocation's event has 6 MB at most.
 */
export function requestOf(event: APIGatewayProxyEventV2, at: number): Request {
  const headers = new Map(Object.entries(event.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const body = rawBytes(event);
  // Libraries that take text would verify what these bytes are read as, and not what they are.
  if (!isUtf8(body) || body.subarray(0, 3).equals(BOM)) {
    throw new Refusal(400, 'Malformed body', {
      detail: 'Send JSON, or a form, in UTF-8 and without a byte order mark.',
    });
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

/** The content type of a request, as its sender has named it. */
export const contentTypeOf = ({ header }: Pick<Request, 'header'>): string => header('content-type') ?? '';

/** What a request brings: JSON, or a form. Refuses anything else with 400. */
export function payloadOf({ body, header }: Request): unknown {
  const payload = payloadIn(body.toString('utf8'), contentTypeOf({ header }));
  if (payload !== undefined) return payload;
  throw new Refusal(400, 'Malformed body', {
    detail: 'Send JSON, or a form that says so in its content type.',
  });
}

/**
 * The payload in a body; undefined when there is none. JSON is JSON under any content type, since some senders name a
 * form and send JSON. A form is an object of its fields, a field that comes several times a list; one with nothing but a
 * JSON text in the field `payload`, as GitHub and Slack send it, is what that text says.
 */
export function payloadIn(text: string, contentType: string): unknown {
  const json = parsed(text);
  if (json !== undefined) return json;
  if (contentType.split(';')[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
    return undefined;
  const form = new URLSearchParams(text);
  const names = [...new Set(form.keys())];
  if (names.length === 0) return undefined;
  const only = names.length === 1 ? form.getAll('payload') : [];
  const fields = names.map((name) => [name, form.getAll(name)] as const);
  return (
    (only.length === 1 ? parsed(only[0] ?? '') : undefined) ??
    Object.fromEntries(fields.map(([name, values]) => [name, values.length > 1 ? values : values[0]]))
  );
}

/** The value of a JSON text; undefined when it is none. */
function parsed(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

/** The `type` of a payload that has one. */
export function typeOf(payload: unknown): string {
  const type = typeof payload === 'object' && payload !== null && 'type' in payload ? payload.type : '';
  return typeof type === 'string' ? type : '';
}
