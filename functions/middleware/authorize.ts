import { createHash, timingSafeEqual } from 'node:crypto';
import { ADMIN_ROLE, DEFAULT_TENANT, type Identity, OPERATOR_ROLE } from '../../shared/contract/identity.ts';
import { Refusal } from './problem.ts';

/** What tells who somebody is. Each rejects only when it cannot know: then the answer is 5xx, never a way in. */
export interface Credentials {
  /** The deployment's API token. */
  readonly token: () => Promise<string>;
  /** The identity of an API key; undefined when it is unknown or revoked. */
  readonly key: (text: string) => Promise<Identity | undefined>;
  /** The identity of a JWT. Throws a Refusal for one that is not good. Absent when no issuer is configured. */
  readonly jwt?: (text: string) => Promise<Identity>;
}

/** What `authorize` looks at: events of HTTP and REST APIs alike. */
export interface Asked {
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/**
 * Who is asking: the one door of everything that is not signed by a third party. The tenant comes from the verified
 * credential and from nothing else in the request. Refuses with 401, and with 403 a JWT that names no tenant.
 */
export async function authorize(asked: Asked, credentials: Credentials): Promise<Identity> {
  const sent = bearerOf(asked);
  if (!sent) throw notAuthorized('Send the header "Authorization: Bearer <token, API key or JWT>".');
  // The shape says which it is, so that a wrong credential of one kind is never tried as another.
  if (sent.startsWith('sl_')) {
    const identity = await credentials.key(sent);
    if (identity) return identity;
  } else if (credentials.jwt && looksLikeJwt.test(sent)) {
    return credentials.jwt(sent);
  } else if (sameText(sent, await credentials.token())) {
    return { tenant: DEFAULT_TENANT, subject: 'operator', kind: 'token' };
  }
  if (!credentials.jwt && looksLikeJwt.test(sent))
    throw notAuthorized(
      'No JWTs are taken here: the deployment names no issuer. Send its API token, or an API key.',
    );
  throw notAuthorized('The token or API key is not known here, or was revoked.');
}

/**
 * Refuses with 403 whoever may not administer their tenant: its API keys, the secrets of its callbacks, the Slack
 * workspaces that are connected to it. A key never may: what it got hold of would outlive its own revocation.
 */
export function requireAdmin({ kind, roles = [] }: Identity): void {
  if (kind === 'token' || (kind === 'jwt' && roles.includes(ADMIN_ROLE))) return;
  throw new Refusal(403, 'Not allowed', {
    detail: `Only the deployment's API token, or a JWT with the role ${ADMIN_ROLE}, may do this.`,
  });
}

/** Whether somebody may see what others of their tenant have begun: whoever holds its token or a key of it, and people with a role for that. */
export const maySeeAll = ({ kind, roles = [] }: Identity): boolean =>
  kind !== 'jwt' || roles.includes(ADMIN_ROLE) || roles.includes(OPERATOR_ROLE);

export const notAuthorized = (detail: string): Refusal =>
  new Refusal(401, 'Not authorized', { detail }, { 'www-authenticate': 'Bearer' });

/** Three parts in base64url (RFC 7519). A token of ours has no dots. */
const looksLikeJwt = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** HTTP APIs send header names in lower case, REST APIs as the client wrote them. */
function bearerOf({ headers }: Asked): string | undefined {
  const name = Object.keys(headers).find((key) => key.toLowerCase() === 'authorization');
  return /^Bearer +(\S+)$/i.exec(headers[name ?? ''] ?? '')?.[1];
}

/** Compares in a time that does not depend on where the texts differ. */
function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
