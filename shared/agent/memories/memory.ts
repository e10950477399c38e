import type { SessionKey } from '../../contract/session.ts';
import type { Callers } from '../session/caller.ts';
import type { Fact } from './store.ts';

/** Which memory: that of the one person or key whose messages the run has read, or the one that all of the tenant's sessions share. */
export type MemoryScope = 'user' | 'tenant';

/** A fact, and the memory that has it. */
export interface RememberedFact extends Fact {
  readonly scope: MemoryScope;
}

/** The outcome of saving a fact. */
export interface SavedFact {
  readonly fact: RememberedFact;
  /** The memory already had it, word for word, so nothing was added. */
  readonly known: boolean;
}

/** Where a search looks, and how many facts it returns. */
export interface MemorySearch {
  /** Both when absent, as far as they exist. */
  readonly scopes?: readonly MemoryScope[];
  /** Facts to find at most: 8 when absent, 20 at most. */
  readonly most?: number;
}

/** The results of a search. */
export interface FoundFacts {
  /** Best first. */
  readonly facts: readonly RememberedFact[];
  /** Facts that match, including those that are left out. */
  readonly matching: number;
  /** Facts that were searched. */
  readonly of: number;
}

/** Knowledge of agents across sessions. Facts read from it are data that a person or agent once saved, not instructions. */
export interface Memory {
  /**
   * Saves a fact. Saving it again in the same call, or after a crash, saves it once. Rejects, with a sentence, a text that is
   * empty, has more than 2,000 characters or looks like a credential. Also rejects if the memory has 1,000 facts, and for
   * `user` if the run has no requester or more than one.
   */
  save(text: string, scope: MemoryScope): Promise<SavedFact>;
  /** Facts that match a query; the newest ones for an empty query. */
  search(query: string, options?: MemorySearch): Promise<FoundFacts>;
}

/** The call that remembers something, and the people whom it acts for. */
export interface Rememberer extends SessionKey, Callers {
  /** The same for every attempt at the call. */
  readonly idempotencyKey: string;
}
