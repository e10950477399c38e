import { Agent, request } from 'node:http';
import { type SigningService, signedHeaders } from './iam/signature.ts';

/**
 * Sends one request of AWS's JSON protocol and returns the parsed answer. Rejects with an `AwsJsonError`, and when `signal`
 * aborts; the service may have carried out the request by then.
 */
export type AwsJson = (
  operation: string,
  body: object,
  signal?: AbortSignal,
) => Promise<Record<string, unknown>>;

/** An error answer. `code` is the service's error name without its namespace. */
export class AwsJsonError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

/**
 * A client for the stack's own traffic (creating tables, polling queues). Without an SDK, it starts at once and costs a third of
 * an SDK call.
 */
export function awsJsonClient(
  endpoint: string,
  targetPrefix: keyof typeof SERVICES,
): { call: AwsJson; close(): void } {
  const { host, pathname } = new URL(endpoint);
  const agent = new Agent({ keepAlive: true });
  const call: AwsJson = (operation, body, signal) =>
    new Promise((resolve, reject) => {
      const payload = Buffer.from(JSON.stringify(body));
      const outgoing = request(endpoint, {
        method: 'POST',
        agent,
        ...(signal && { signal }),
        headers: signedHeaders(
          SERVICES[targetPrefix],
          'local',
          {
            url: pathname,
            headers: {
              host,
              'content-type': 'application/x-amz-json-1.0',
              'content-length': String(payload.length),
              'x-amz-target': `${targetPrefix}.${operation}`,
            },
            body: payload,
          },
          Date.now(),
        ),
      });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('error', reject);
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const answer = parse(Buffer.concat(chunks).toString());
          if (response.statusCode === 200) resolve(answer);
          else reject(toError(answer, response.statusCode));
        });
      });
      outgoing.end(payload);
    });
  return { call, close: () => agent.destroy() };
}

/** The prefix of a service's targets, and its name in signatures. */
const SERVICES = {
  DynamoDB_20120810: 'dynamodb',
  AmazonSQS: 'sqs',
  secretsmanager: 'secretsmanager',
} as const satisfies Record<string, SigningService>;

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text || '{}') as Record<string, unknown>;
  } catch {
    return { message: text.slice(0, 200) };
  }
}

function toError(answer: Record<string, unknown>, status: number | undefined): AwsJsonError {
  const type = String(answer.__type ?? `Status${status}`);
  return new AwsJsonError(
    type.slice(type.lastIndexOf('#') + 1),
    String(answer.message ?? answer.Message ?? ''),
  );
}
