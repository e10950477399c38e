/** The owner of facts: one person or key, or all sessions of the tenant together. */
export interface Owner {
  readonly tenant: string;
  /** Subject of the person or key (`user:ada`); absent: the tenant's. */
  readonly user?: string;
}

/** Something that an agent has been told, or has found out, for later sessions. A fact never changes: it is there or forgotten. */
export interface Fact {
  /** Unique among the facts of its owner. */
  readonly id: string;
  readonly text: string;
  /** Epoch ms at which it was saved. */
  readonly at: number;
  /** The session that saved it. */
  readonly sessionId: string;
  /** Subjects of the people whose messages the run had read by then; empty if none is known. */
  readonly by: readonly string[];
}

/** Knowledge of agents beyond a session. A read that begins after a forget was answered does not contain the fact. */
export interface Memories {
  /** Saves the fact, if its owner has none with its id, and returns the stored one. Idempotent. */
  save(owner: Owner, fact: Fact): Promise<Fact>;
  /** All facts of the owner, oldest first, strongly consistent. */
  all(owner: Owner): Promise<Fact[]>;
  /** Removes a fact for good. `unknown` if the owner has none with this id, for example because it was already forgotten. */
  forget(owner: Owner, id: string): Promise<'forgotten' | 'unknown'>;
}
