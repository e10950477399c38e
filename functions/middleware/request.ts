import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type * as z from 'zod';
import { parseExactly } from '../../shared/agent/plain/digits.ts';
import { parseOr400, Refusal } from './problem.ts';

/** The request's body as text. Refuses more than `maxBytes` with 413. */
export const rawBody = (event: APIGatewayProxyEventV2, maxBytes: number): string =>
  rawBytes(event, maxBytes).toString('utf8');

/** The request's body, byte for byte. Refuses more than `maxBytes` with 413, if a limit is given. */
export function rawBytes(event: APIGatewayProxyEventV2, maxBytes = Number.POSITIVE_INFINITY): Buffer {
  const body = event.body ?? '';
  const bytes = event.isBase64Encoded ? Buffer.from(body, 'base64') : Buffer.from(body, 'utf8');
  if (bytes.byteLength > maxBytes) {
    throw new Refusal(413, 'Body too large', {
      detail: `The body has ${bytes.byteLength} bytes; at most ${maxBytes} are allowed.`,
    });
  }
  return bytes;
}

/** A JSON body that fits its schema. Refuses with 400 a body that is not JSON or has unknown or wrong fields. */
export function jsonBody<Schema extends z.ZodType>(
  event: APIGatewayProxyEventV2,
  schema: Schema,
  maxBytes: number,
): z.output<Schema> {
  return parseOr400(schema, parsedJson(rawBody(event, maxBytes)), 'body');
}

/**
 * The value of a JSON text. Integers beyond the precision of a number become strings of their digits. Refuses with 400 a text
 * that is not JSON.
 */
export function parsedJson(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    throw new Refusal(400, 'Malformed JSON', { detail: 'Send a JSON object as the body.' });
  }
}

/** The origin at which a request arrived, as its sender named it: on the laptop without TLS. */
export function originOf({ requestContext }: Pick<APIGatewayProxyEventV2, 'requestContext'>): string {
  const { domainName } = requestContext;
  const isLocal = /^(localhost|127\.0\.0\.1)(:\d+)?$/.test(domainName);
  return `${isLocal ? 'http' : 'https'}://${domainName}`;
}

/** A JSON answer. */
export const json = (
  statusCode: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): APIGatewayProxyStructuredResultV2 => ({
  statusCode,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
