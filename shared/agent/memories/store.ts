/** Whose facts: those of one person or key, or those that all sessions of the tenant share. */
export interface Owner {
  readonly tenant: string;
  /** Subject of the person or key (`user:ada`); absent: the tenant's. */
  readonly user?: string;
}

/** What an agent has been told, or has found out, and is to know in later sessions. It never changes: it is there or forgotten. */
export interface Fact {
  /** Unique among its owner's. */
  readonly id: string;
  readonly text: string;
  /** Epoch ms at which it was saved. */
  readonly at: number;
  /** In which session. */
  readonly sessionId: string;
  /** Subjects of those whose messages the run had read by then; none when nobody is known. */
  readonly by: readonly string[];
}

/** What agents remember beyond a session. What was forgotten is in no read that begins after that was answered. */
export interface Memories {
  /** Keeps the fact, if its owner has none with its id, and answers which is kept. Idempotent. */
  save(owner: Owner, fact: Fact): Promise<Fact>;
  /** All facts of the owner, oldest first, strongly consistent. */
  all(owner: Owner): Promise<Fact[]>;
  /** Removes a fact for good. `unknown` when the owner has none with this id, also because it was forgotten before. */
  forget(owner: Owner, id: string): Promise<'forgotten' | 'unknown'>;
}
