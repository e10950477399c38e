/**
 * Verifies JWTs of one OpenID Connect issuer. The checks, in this order: the algorithm is asymmetric, the signature is by a key
 * that the issuer publishes, `iss`, `aud`, `exp` and `nbf`, and then our own claims.
 */

import { type Identity, SubjectClaim, TenantClaim } from '../../shared/contract/identity.ts';
import { errorFacts, log } from '../../shared/logger.ts';
import { notAuthorized } from './authorize.ts';
import { Refusal } from './problem.ts';

export interface OidcOptions {
  /** The issuer, exactly as `iss` has it in its tokens. */
  readonly issuer: string;
  /** `aud` must contain one of these. */
  readonly audiences: readonly string[];
  /** Name of the claim that holds the tenant, such as `tenant`, `tid` or `https://example.com/tenant`. */
  readonly tenantClaim: string;
  /** Name of the claim that holds roles: a list, or one text separated by spaces. */
  readonly rolesClaim: string;
}

/**
 * Algorithms that sign with a private key that only the issuer has (RFC 7518 section 3.1, RFC 8037, RFC 9864). No `HS…`: there
 * the verifier's key is also the signer's, so a token signed with the issuer's public key would pass. No `none`: it has no
 * signature.
 */
export const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** Allowed clock difference between issuer and verifier, in seconds. */
const CLOCK_TOLERANCE_S = 30;
/** Timeout for requests to the issuer, in ms. */
const PATIENCE_MS = 5_000;

type Jose = typeof import('./jose.ts');
type Errors = Jose['errors'];

/**
 * Creates a verifier. The first token loads jose and the issuer's configuration. Its keys are cached for 10 minutes. They are
 * fetched again, at most every 30 s, if a token names an unknown key (rotation).
 */
export function createOidc(options: OidcOptions): (token: string) => Promise<Identity> {
  let loading: ReturnType<typeof load> | undefined;

  async function load() {
    const jose = await import('./jose.ts');
    const keys = jose.createRemoteJWKSet(await discover(options.issuer), { timeoutDuration: PATIENCE_MS });
    return { jwtVerify: jose.jwtVerify, errors: jose.errors, keys };
  }

  return async (token) => {
    loading ??= load();
    const { jwtVerify, errors, keys } = await loading.catch((error: unknown) => {
      loading = undefined; // a failure is not cached
      throw unreachable(error);
    });
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ALGORITHMS,
      issuer: options.issuer,
      audience: [...options.audiences],
      clockTolerance: CLOCK_TOLERANCE_S,
      requiredClaims: ['exp', 'sub'],
    }).catch((error: unknown) => {
      throw isTheTokens(error, errors) ? notAuthorized(reasonOf(error, errors)) : unreachable(error);
    });
    return toIdentity(payload, options);
  };
}

/** OIDC Discovery 1.0 section 4: finds the issuer's keys. The document's `issuer` must equal the configured one (4.3). */
async function discover(issuer: string): Promise<URL> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const found = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown };
  if (found.issuer !== issuer)
    throw new Error(`${url} is of the issuer ${String(found.issuer)}, not ${issuer}`);
  const keys = new URL(String(found.jwks_uri));
  if (keys.protocol !== 'https:' && !issuer.startsWith('http:'))
    throw new Error(`${url}: keys not over https`);
  return keys;
}

function toIdentity(claims: Readonly<Record<string, unknown>>, options: OidcOptions): Identity {
  const { tenantClaim, rolesClaim } = options;
  const subject = SubjectClaim.safeParse(claims.sub);
  if (!subject.success) throw notAuthorized('The claim "sub" of the token is not a name.');
  const tenant = TenantClaim.safeParse(claims[tenantClaim]);
  if (!tenant.success) {
    const detail = `The token is valid, but its claim "${tenantClaim}" is not a tenant: 1 to 64 letters, digits, - and _.`;
    throw new Refusal(403, 'No tenant', { detail });
  }
  const roles = toRoles(claims[rolesClaim]);
  // The verification requires `exp`, so it is a number here.
  const expiresAt = (Number(claims.exp) + CLOCK_TOLERANCE_S) * 1000;
  // OIDC Core 1.0 section 5.1 defines `name`, `preferred_username` and `zoneinfo`.
  const name = textIn(claims, 'name', 'preferred_username');
  const zone = textIn(claims, 'zoneinfo', 'zone', 'timezone');
  return {
    tenant: tenant.data,
    subject: `user:${subject.data}`,
    kind: 'jwt',
    roles,
    expiresAt,
    ...(name && { name }),
    ...(zone && { zone }),
  };
}

/** The first of these claims that is a text. It is stored with the message, so it is cut. */
const textIn = (claims: Readonly<Record<string, unknown>>, ...names: readonly string[]): string | undefined =>
  names
    .map((name) => claims[name])
    .find((claim): claim is string => typeof claim === 'string' && claim.trim() !== '')
    ?.slice(0, 200);

function toRoles(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter(Boolean);
  return Array.isArray(claim) ? claim.filter((role) => typeof role === 'string') : [];
}

/** Whether the error is about the token, and not about the issuer or this code. */
function isTheTokens(error: unknown, errors: Errors): boolean {
  const kinds = [
    ...[errors.JWTClaimValidationFailed, errors.JWTExpired, errors.JWTInvalid, errors.JOSEAlgNotAllowed],
    ...[errors.JWSInvalid, errors.JWSSignatureVerificationFailed, errors.JOSENotSupported],
    ...[errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys],
  ];
  return kinds.some((kind) => error instanceof kind);
}

/** Names the check that failed, without saying what was expected. */
function reasonOf(error: unknown, errors: Errors): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired: get a new one.';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `The claim "${error.claim}" of the token is invalid.`;
  return "The signature of the token is not the issuer's.";
}

function unreachable(error: unknown): Refusal {
  log('error', 'the OIDC issuer could not be reached', errorFacts(error));
  const detail = 'The keys of the identity provider could not be read. Try again.';
  return new Refusal(503, 'Identity provider unreachable', { detail }, { 'retry-after': '5' });
}
