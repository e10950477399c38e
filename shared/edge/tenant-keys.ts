/** The state of a tenant's data key (docs/deploy.md). */
export type KeyState =
  /** The tenant has none: nothing of it has been written since the option was turned on. */
  | { readonly state: 'none' }
  | { readonly state: 'live'; readonly createdAt: number }
  | { readonly state: 'deleted'; readonly deletedAt: number; readonly deletedBy: string };

/**
 * Ms for which an environment uses a data key before it asks whether it still lives: within this time a deletion takes
 * effect everywhere.
 */
export const KEY_LIFETIME_MS = 120_000;

/** Data keys of tenants, as the edge sees them. Rejects if the table or KMS cannot be reached. */
export interface TenantKeys {
  /** Rejects with `TenantKeyDeleted` if the tenant's key was deleted. */
  requireLiving(tenant: string): Promise<void>;
  read(tenant: string): Promise<KeyState>;
  /**
   * Deletes the key for good, also if there is none: the tenant never gets another one. A second deletion changes
   * nothing, and returns the first.
   */
  remove(tenant: string, by: string, now: number): Promise<Extract<KeyState, { state: 'deleted' }>>;
}
