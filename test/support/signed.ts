import { SignatureV4 } from '@smithy/signature-v4';
import { Sha256 } from '../../shared/aws/sha256.ts';

/** Any caller but a function: its secret is its key (`local/stack/iam/signature.ts`). */
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

/** A request to an embedded service as the SDK signs it, for what no client of the SDK sends. */
export async function signedFetch(
  service: 's3' | 'sqs' | 'dynamodb' | 'kms' | 'execute-api',
  address: string,
  {
    method = 'GET',
    body = '',
    headers = {},
  }: { method?: string; body?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  const url = new URL(address);
  const options = {
    credentials,
    region: 'us-east-1',
    service,
    sha256: Sha256,
    uriEscapePath: service !== 's3',
  };
  const signed = await new SignatureV4(options).sign({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { ...headers, host: url.host },
    body,
  });
  return fetch(url, { method, headers: signed.headers, ...(method !== 'GET' && { body }) });
}
