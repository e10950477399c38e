/** How long a value is used without asking again, in ms: a rotated secret is seen within this time. */
export const SECRET_LIFETIME_MS = 5 * 60_000;

/**
 * Secrets by id. Rejects when a value cannot be read: the service is out, there is no such secret, or it has no
 * readable value. Failures are not cached.
 */
export interface Secrets {
  /** The value, at most {@link SECRET_LIFETIME_MS} old. */
  get(id: string): Promise<string>;
  /** The value as it is now, for a caller that was just refused with the one from `get` (rotation). */
  refresh(id: string): Promise<string>;
}
