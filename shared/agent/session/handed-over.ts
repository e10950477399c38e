/** The types of a session that one agent has given to another (docs/handoffs.md). */

/** An agent that had the session before. */
export interface Handoff {
  readonly from: string;
  /** Hash of the definition that it had then. */
  readonly definition: string;
  /** First slot that no longer belongs to it. */
  readonly below: number;
}

/** The agent that a call gives the session to, as its result tells. */
export interface HandedTo {
  readonly agent: string;
  /** Hash of its definition, which is stored. */
  readonly definition: string;
  /** Set if its sessions propose their changes. */
  readonly mode?: 'plan';
}
