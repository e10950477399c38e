import type { Identity, KeyScope } from '../contract/identity.ts';

/** A key as its owner may see it: everything but its secret. Times are epoch ms. */
export interface ApiKey {
  readonly keyId: string;
  readonly name: string;
  /** The scopes that the key has beyond the usual permissions; keys from before scopes existed have none. */
  readonly scopes: readonly KeyScope[];
  /** Subject of the caller who minted it. */
  readonly createdBy: string;
  readonly createdAt: number;
  /** The day of its last use, `2026-11-22`; absent when it has not been used. */
  readonly lastUsedOn?: string;
  readonly revokedAt?: number;
}

/**
 * API keys of tenants. Rejects when the store cannot be reached: it is then unknown whether a key is good, so the
 * caller answers 5xx and never lets the request in. A `mint` that rejects may have made a key, whose text is lost; a
 * `revoke` that rejects may be done again.
 */
export interface ApiKeys {
  /** A new key of the caller's tenant. Its text is returned only this once. */
  mint(
    by: Identity,
    name: string,
    scopes?: readonly KeyScope[],
  ): Promise<{ readonly key: ApiKey; readonly text: string }>;
  /**
   * The identity of the key's owner; undefined when the key is malformed, unknown, revoked, or its secret is wrong. A
   * key is refused from the moment its revocation was answered, wherever it was used before. Its first use of a day is
   * noted; a failure of that note does not refuse the key.
   */
  verify(text: string): Promise<Identity | undefined>;
  /** Whether a key that was good is still good. */
  isLive(keyId: string): Promise<boolean>;
  /** The tenant's keys, including the revoked ones, by id. */
  list(tenant: string): Promise<ApiKey[]>;
  /** Revokes a key of this tenant for good. `unknown` for another tenant's. Repeating it changes nothing. */
  revoke(tenant: string, keyId: string): Promise<ApiKey | 'unknown'>;
}
