/** A sign that a model's server refuses because of a rate limit, and until when it is not to be asked. */
export interface Sign {
  /** Epoch ms, by the clock of the environment that was refused. */
  readonly until: number;
  /** The API's own word for it, as `Failure.code`. */
  readonly code: string;
}

/**
 * The subject of a sign: a server's model, and a group of the environments that ask it. Keys of servers belong to the
 * deployment, so a sign contains nothing of a tenant.
 */
export interface SignOf {
  readonly server: string;
  readonly model: string;
  readonly group: number;
}

/**
 * Signs of rate limits that environments share. They are only hints: an environment that misses a sign is refused, as
 * it would be without signs.
 */
export interface SignStore {
  /** The sign that was put last, or the one before it. It may be over. */
  read(of: SignOf): Promise<Sign | undefined>;
  /** Replaces the stored sign. */
  put(of: SignOf, sign: Sign): Promise<void>;
}
