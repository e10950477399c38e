import type { SessionKey } from '../../contract/session.ts';
import type { Callers } from '../session/caller.ts';
import type { Fact } from './store.ts';

/** Whose memory: that of the one person or key whose messages the run has read, or what all of the tenant's sessions share. */
export type MemoryScope = 'user' | 'tenant';

/** A fact, and in whose memory it is. */
export interface RememberedFact extends Fact {
  readonly scope: MemoryScope;
}

/** What became of a fact that was to be saved. */
export interface SavedFact {
  readonly fact: RememberedFact;
  /** The memory had it already, word for word: nothing was added. */
  readonly known: boolean;
}

/** Where a search looks, and how much it answers. */
export interface MemorySearch {
  /** Both when absent, as far as there are any. */
  readonly scopes?: readonly MemoryScope[];
  /** Facts to find at most: 8 when absent, 20 at most. */
  readonly most?: number;
}

/** What a search has found. */
export interface FoundFacts {
  /** Best first. */
  readonly facts: readonly RememberedFact[];
  /** Facts that match, also those that are left out. */
  readonly matching: number;
  /** Facts that were looked through. */
  readonly of: number;
}

/** What agents know in later sessions. All that is read from it is data that somebody once said, and no instruction. */
export interface Memory {
  /**
   * Keeps a fact. Saving again in the same call, or after a crash, keeps it once. Rejects, with a sentence, what is empty, has more
   * than 2,000 characters or looks like a credential, when the memory has 1,000 facts, and for `user` when nobody, or more
   * than one, has asked.
   */
  save(text: string, scope: MemoryScope): Promise<SavedFact>;
  /** Facts that fit a query; the newest ones for an empty query. */
  search(query: string, options?: MemorySearch): Promise<FoundFacts>;
}

/** For whom a call remembers something. */
export interface Rememberer extends SessionKey, Callers {
  /** The same for every attempt at the call. */
  readonly idempotencyKey: string;
}
