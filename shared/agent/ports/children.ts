import type { SessionKey } from '../../contract/session.ts';
import type { Speaker } from '../session/caller.ts';
import type { HandedTo } from '../session/handed-over.ts';
import type { ParentCall } from '../session/parent.ts';
import type { Mode } from '../session/proposals.ts';
import type { FirstMessage } from '../session/session.ts';

/** Begins sessions for calls of other sessions, and gives sessions to other agents. Functions whose steps do neither do not have it. */
export interface Children {
  /**
   * Begins a session for a call, and puts its wake on the queue. Idempotent: the same child is begun once, and keeps what
   * it was begun with. Rejects if a service cannot be reached; then it may have been begun.
   */
  begin(child: NewChild): Promise<BeginChild>;
  /**
   * Stores the definition of an agent as it is deployed now. Idempotent.
   *
   * @param first facts for an agent whose instructions or model are functions of them
   * @returns undefined if no such agent is deployed
   */
  define(tenant: string, agent: string, first: FirstMessage): Promise<HandedTo | undefined>;
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
