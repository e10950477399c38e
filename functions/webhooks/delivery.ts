import { isUtf8 } from 'node:buffer';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { WebhookEvent } from '../../shared/agent/define/webhook.ts';
import type { WebhookRequest } from '../../shared/agent/define/webhook-verify.ts';
import { parseExactly } from '../../shared/agent/plain/digits.ts';
import { Refusal } from '../middleware/problem.ts';
import { originOf, rawBytes } from '../middleware/request.ts';

/** A request to a webhook's URL, before it is verified. */
export interface Request extends WebhookRequest {
  readonly body: Buffer;
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
}

/** A delivery that its sender has signed. */
export interface Delivery extends Omit<WebhookEvent, 'headers'> {
  /** Equal for the sender's retries and for nothing else. */
  readonly key: string;
  /** The signed bytes, if the id is not part of them and each signature is unique: the same bytes under another id are a replay. */
  readonly signed?: Uint8Array;
}

/** Verifies a delivery with any one of the sender's secrets. Refuses an unsigned one before anything is stored. */
export type Verify<Rule> = (request: Request, secrets: readonly string[], rule: Rule) => Promise<Delivery>;

/** How far a signed time may be from ours in ms, in both directions: the default of Stripe and of Standard Webhooks (300 s). */
export const TOLERANCE_MS = 300_000;

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Reads a request. Refuses with 400 a body that is not UTF-8 text. Larger bodies never arrive: an invocation's event has 6 MB at most. */
export function requestOf(event: APIGatewayProxyEventV2, at: number): Request {
  const sent = Object.entries(event.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.toLowerCase(), value] as const],
  );
  const headers = new Map(sent);
  const body = rawBytes(event);
  // Libraries that take text would verify the decoded text instead of these bytes.
  if (!isUtf8(body) || body.subarray(0, 3).equals(BOM)) {
    throw new Refusal(400, 'Malformed body', {
      detail: 'Send JSON, or a form, in UTF-8 and without a byte order mark.',
    });
  }
  const query = event.rawQueryString ? `?${event.rawQueryString}` : '';
  return {
    method: event.requestContext.http.method === 'GET' ? 'GET' : 'POST',
    url: `${originOf(event)}${event.rawPath}${query}`,
    headers: Object.fromEntries(headers),
    body,
    header: (name) => headers.get(name),
    at,
  };
}

/** Headers whose purpose is to carry a credential. */
const CREDENTIALS = new Set(['authorization', 'proxy-authorization', 'cookie']);

/** The headers that a mapping sees, and that are kept with a dead delivery: none that carries a credential. */
export const plainHeaders = (
  { headers }: Pick<Request, 'headers'>,
  secrets: readonly string[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => !CREDENTIALS.has(name) && !secrets.some((secret) => value.includes(secret)),
    ),
  );

/** Refuses with 401. The detail says no more than the sender needs. */
export const wrongSignature = (detail: string): Refusal => new Refusal(401, 'Wrong signature', { detail });

export const missingHeaders = (detail: string): Refusal => new Refusal(400, 'Missing headers', { detail });

/** Refuses a signed time that is too far from ours. Call it only after the signature is verified. */
export function inTime(sentAt: number, { at }: Request): void {
  if (Math.abs(at - sentAt) <= TOLERANCE_MS) return;
  throw wrongSignature("The signed time is more than 300 seconds from the server's.");
}

/** The content type of a request, as its sender states it. */
export const contentTypeOf = ({ header }: Pick<Request, 'header'>): string => header('content-type') ?? '';

/** The payload of a request: JSON or a form. Refuses anything else with 400. */
export function payloadOf({ body, header }: Request): unknown {
  const payload = payloadIn(body.toString('utf8'), contentTypeOf({ header }));
  if (payload !== undefined) return payload;
  throw new Refusal(400, 'Malformed body', {
    detail: 'Send JSON, or a form with the content type of a form.',
  });
}

/**
 * The payload in a body; undefined if there is none. JSON is accepted under any content type, since some senders declare a form
 * and send JSON. A form becomes an object of its fields; a field that occurs several times becomes a list. A form whose only
 * field is `payload` with a JSON text, as GitHub and Slack send it, becomes the value of that text.
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

/** The value of a JSON text; undefined if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

/** The `type` of a payload, if it has one. */
export function typeOf(payload: unknown): string {
  const type = typeof payload === 'object' && payload !== null && 'type' in payload ? payload.type : '';
  return typeof type === 'string' ? type : '';
}
