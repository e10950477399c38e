import type { SessionKey } from '../../contract/session.ts';
import type { Speaker } from '../session/caller.ts';
import type { ParentCall } from '../session/parent.ts';
import type { Mode } from '../session/proposals.ts';

/** Begins sessions for calls of other sessions. Functions whose steps begin none do not have it. */
export interface Children {
  /**
   * Begins a session for a call, and puts its wake on the queue. Idempotent: the same child is begun once, and keeps what
   * it was begun with. Rejects if a service cannot be reached; then it may have been begun.
   */
  begin(child: NewChild): Promise<BeginChild>;
}

/** A session to begin for a call. */
export interface NewChild {
  readonly key: SessionKey;
  readonly agent: string;
  readonly parent: ParentCall;
  /** The message that it begins with. */
  readonly task: string;
  /** The people and machines for whom its parent works: it works for the same. */
  readonly speakers: readonly Speaker[];
  /** {@link Session.user} of its parent. */
  readonly user: string | undefined;
  /** The mode of its parent. */
  readonly mode: Mode | undefined;
}

/** `gone`: it was begun and has just been deleted. `no_agent`: no such agent is deployed. */
export type BeginChild = 'begun' | 'gone' | 'no_agent';
