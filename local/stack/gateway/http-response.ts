import { isObject } from '../template/types.ts';

/** The response to the HTTP client. Header names in lower case. */
export interface HttpReply {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/**
 * Makes a reply of a function's result (JSON), by the inference of payload format 2.0: an object with statusCode is taken apart;
 * anything else is the body of a 200. A malformed one is a 500, as on AWS.
 */
export function toHttpReply(result: string): HttpReply {
  const value: unknown = JSON.parse(result);
  if (!isObject(value) || value.statusCode === undefined) {
    const body = typeof value === 'string' ? value : result;
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
  }
  const status = Number(value.statusCode);
  const body = value.body ?? '';
  if (!Number.isInteger(status) || status < 200 || status > 599 || typeof body !== 'string')
    return messageReply(500, 'Internal Server Error');
  const declared = isObject(value.headers) ? Object.entries(value.headers) : [];
  const cookies = Array.isArray(value.cookies) ? value.cookies.map(String) : [];
  return {
    status,
    headers: {
      'content-type': 'text/plain;charset=utf-8',
      ...Object.fromEntries(declared.map(([name, content]) => [name.toLowerCase(), String(content)])),
      ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
    },
    body: Buffer.from(body, value.isBase64Encoded === true ? 'base64' : 'utf8'),
  };
}

/** API Gateway's own answers: a JSON object with one message. */
export function messageReply(status: number, message: string): HttpReply {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ message })),
  };
}
