import * as z from 'zod';
import { Tenant } from './session.ts';

/**
 * The verified identity of a caller. Everything that is read or written for them is under their tenant, and nothing
 * that they send can change it.
 */
export interface Identity {
  readonly tenant: string;
  /**
   * The caller's name within the tenant, for records such as "who decided": `user:<sub>` for a JWT, `key:<keyId>` for
   * an API key, or `operator` for the deployment's token. The prefixes keep one from posing as another.
   */
  readonly subject: string;
  /** How the caller was verified: by a JWT of the OIDC issuer, an API key, or the deployment's API token. */
  readonly kind: 'jwt' | 'key' | 'token';
  /**
   * Their name: the claim `name` or `preferred_username` of a JWT, or the name of an API key. For people and models to
   * read: no right depends on it.
   */
  readonly name?: string;
  /** Their time zone: the claim `zoneinfo` of a JWT, or `zone` or `timezone`. It is kept as sent, and checked where it is used. */
  readonly zone?: string;
  /** Roles that the JWT names; other credentials have none. */
  readonly roles?: readonly string[];
  /** The permissions of an API key beyond the usual ones; other credentials need none. */
  readonly scopes?: readonly KeyScope[];
  /** Epoch ms from which on the JWT is invalid; nothing is done in its name then. */
  readonly expiresAt?: number;
}

/** The tenant of the deployment's API token, and of webhooks that name no other. */
export const DEFAULT_TENANT = 'default';

/** The role, in the JWT's roles claim, of those who may administer their tenant (`requireAdmin`). */
export const ADMIN_ROLE = 'steploop-admin';

/** The role, in the same claim, of those who see what everyone in their tenant does, and may do nothing beyond that. */
export const OPERATOR_ROLE = 'steploop-operator';

/**
 * Whether the caller may see sessions that others of the tenant began: holders of the API token or of a key may, and people with
 * a role for it.
 */
export const maySeeAll = ({
  kind,
  roles = [],
}: Pick<Identity, 'roles'> & { readonly kind: string }): boolean =>
  kind !== 'jwt' || roles.includes(ADMIN_ROLE) || roles.includes(OPERATOR_ROLE);

/**
 * An API key as its holder has it: `sl_<keyId>_<secret>`. The `keyId` is `<tenant>.<12 characters>`: it says in which
 * partition to look, and is trusted only when the secret fits. The secret is 256 random bits in hex. The shape is fixed
 * so that secret scanners can recognize it.
 */
export const API_KEY = /^sl_([A-Za-z0-9][A-Za-z0-9_-]{0,63}\.[a-z0-9]{12})_([0-9a-f]{64})$/;

/** The id of one API key: in paths, lists and logs. It is no secret. */
export const KeyId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}\.[a-z0-9]{12}$/);

/** The tenant that a key id names. */
export const tenantOfKey = (keyId: string): string => keyId.slice(0, keyId.indexOf('.'));

/**
 * Permissions that an API key has only if it was minted for them. `decide`: approve or deny the requests of runs to
 * people.
 */
export const KeyScope = z.enum(['decide']);
export type KeyScope = z.infer<typeof KeyScope>;

/** `POST /keys` */
export const CreateKey = z.strictObject({
  /** Its purpose, in the owner's words. */
  name: z.string().trim().min(1, 'must not be empty').max(100),
  scopes: z
    .array(KeyScope)
    .max(10)
    .default([])
    .transform((scopes) => [...new Set(scopes)]),
});

/** Claims of a JWT that we check; the registered ones (`exp`, `iss`, `aud`) are checked separately. */
export const TenantClaim = Tenant;
/** OIDC Core 1.0 section 2: `sub` has at most 255 characters. */
export const SubjectClaim = z.string().min(1).max(255);
