/** That a model's server refuses for a rate limit: it is not to be asked before. */
export interface Sign {
  /** Epoch ms, by the clock of whoever was refused. */
  readonly until: number;
  /** The API's own word for it, as `Failure.code`. */
  readonly code: string;
}

/**
 * What a sign is of: the model of a server, and a group of the environments that ask it. Keys of servers are a deployment's, so nothing
 * of a tenant is in it.
 */
export interface SignOf {
  readonly server: string;
  readonly model: string;
  readonly group: number;
}

/** What environments tell each other of rate limits. Only a hint: whoever misses a sign is refused, as without. */
export interface SignStore {
  /** The last one that was put, or the one before it. It may be over. */
  read(of: SignOf): Promise<Sign | undefined>;
  /** Puts it in the place of what stands there. */
  put(of: SignOf, sign: Sign): Promise<void>;
}
