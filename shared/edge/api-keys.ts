import type { Identity, KeyScope } from '../contract/identity.ts';

/** A key as its owner may see it: everything but its secret. Times are epoch ms. */
export interface ApiKey {
  readonly keyId: string;
  readonly name: string;
  /** What it may do beside the ordinary; keys from before there were scopes have none. */
  readonly scopes: readonly KeyScope[];
  /** Subject of who minted it. */
  readonly createdBy: string;
  readonly createdAt: number;
  /** The day of its last use, `2026-11-22`; absent when there was none. */
  readonly lastUsedOn?: string;
  readonly revokedAt?: number;
}

/**
 * API keys of tenants. Rejects when the store cannot be reached: then nobody knows whether a key is good, and whoever asks
 * answers 5xx, never lets it in. A `mint` that rejects may have made a key, whose text nobody has; a `revoke` that rejects
 * may be done again.
 */
export interface ApiKeys {
  /** A new key of the caller's tenant. Its text is told this once. */
  mint(
    by: Identity,
    name: string,
    scopes?: readonly KeyScope[],
  ): Promise<{ readonly key: ApiKey; readonly text: string }>;
  /**
   * Whose key this is; undefined when it is malformed, unknown, revoked, or its secret is wrong. A key is refused from the
   * moment that its revocation was answered, wherever it was used before. Its first use of a day is noted, and that this
   * fails keeps nobody out.
   */
  verify(text: string): Promise<Identity | undefined>;
  /** Whether a key that was good still is. */
  isLive(keyId: string): Promise<boolean>;
  /** The tenant's keys, the revoked ones too, by id. */
  list(tenant: string): Promise<ApiKey[]>;
  /** Revokes a key of this tenant for good. `unknown` for another tenant's. Again: changes nothing. */
  revoke(tenant: string, keyId: string): Promise<ApiKey | 'unknown'>;
}
