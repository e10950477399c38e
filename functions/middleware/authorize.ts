import { createHash, timingSafeEqual } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { Refusal } from './problem.ts';

/** The tenant of whoever holds the deployment's API token. */
export const TENANT = 'default';

/**
 * Who is asking: the tenant comes from the verified token only. Refuses with 401 otherwise.
 *
 * @param token looks the deployment's token up
 */
export async function authorize(
  event: APIGatewayProxyEventV2,
  token: () => Promise<string>,
): Promise<string> {
  const sent = /^Bearer (.+)$/i.exec(event.headers.authorization ?? '')?.[1];
  if (sent && sameText(sent, await token())) return TENANT;
  throw new Refusal(
    401,
    'Not authorized',
    { detail: 'Send the header "Authorization: Bearer <API token>".' },
    { 'www-authenticate': 'Bearer' },
  );
}

/** Compares in a time that does not depend on where the texts differ. */
function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
