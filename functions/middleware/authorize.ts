import { createHash, timingSafeEqual } from 'node:crypto';
import { ADMIN_ROLE, DEFAULT_TENANT, type Identity } from '../../shared/contract/identity.ts';
import { Refusal } from './problem.ts';

/** The sources of identity. Each rejects only if it cannot check a credential: then the answer is 5xx, and never access. */
export interface Credentials {
  /** The deployment's API token. */
  readonly token: () => Promise<string>;
  /** The identity of an API key; undefined when it is unknown or revoked. */
  readonly key: (text: string) => Promise<Identity | undefined>;
  /** The identity of a JWT. Throws a Refusal for an invalid one. Undefined if no issuer is configured. */
  readonly jwt?: (text: string) => Promise<Identity>;
}

/** The part of an event that `authorize` reads, the same for HTTP and REST APIs. */
export interface AuthRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/**
 * Authenticates the caller: the one door of everything that is not signed by a third party. The tenant comes from the verified
 * credential and from nothing else in the request. Refuses with 401, and with 403 a JWT that names no tenant.
 */
export async function authorize(asked: AuthRequest, credentials: Credentials): Promise<Identity> {
  const sent = bearerOf(asked);
  if (!sent) throw notAuthorized('Send the header "Authorization: Bearer <token, API key or JWT>".');
  // The shape selects the kind of credential, so a wrong credential of one kind is never tried as another.
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
      'This deployment accepts no JWTs, because it has no issuer. Send its API token, or an API key.',
    );
  throw notAuthorized('The token or API key is unknown, or was revoked.');
}

/**
 * Refuses with 403 a caller who may not administer the tenant: its API keys, its callback secrets, the Slack workspaces that are
 * connected to it. A key never may, because what it creates would outlive its own revocation.
 */
export function requireAdmin({ kind, roles = [] }: Identity): void {
  if (kind === 'token' || (kind === 'jwt' && roles.includes(ADMIN_ROLE))) return;
  throw new Refusal(403, 'Not allowed', {
    detail: `Only the deployment's API token, or a JWT with the role ${ADMIN_ROLE}, may do this.`,
  });
}

export const notAuthorized = (detail: string): Refusal =>
  new Refusal(401, 'Not authorized', { detail }, { 'www-authenticate': 'Bearer' });

/** Three parts in base64url (RFC 7519). The deployment's own token has no dots. */
const looksLikeJwt = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** HTTP APIs send header names in lower case, REST APIs as the client wrote them. */
function bearerOf({ headers }: AuthRequest): string | undefined {
  const name = Object.keys(headers).find((key) => key.toLowerCase() === 'authorization');
  return /^Bearer +(\S+)$/i.exec(headers[name ?? ''] ?? '')?.[1];
}

/** Compares in a time that does not depend on where the texts differ. */
export function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
