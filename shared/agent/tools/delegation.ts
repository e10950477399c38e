import type { Cap } from '../session/parent.ts';

/** The agent that answers the calls of a tool, and for how long and how much it may work. */
export interface Delegation {
  readonly agent: string;
  readonly cap?: Cap;
  /** The call returns at once, and a report follows; absent if it waits for the answer. */
  readonly background?: true;
  /** Seconds until its answer no longer counts, and it is stopped. */
  readonly expiresAfterSeconds: number;
  /** How many of the last messages of the conversation come with a task; none when absent. */
  readonly messages?: number;
  /** The agent is a map: a task is a list (docs/shapes.md). */
  readonly takesItems?: true;
  /** The agent that makes the calls is a shape: how it asks. Absent for a model. */
  readonly shape?: {
    /** Agents that one reply may ask. */
    readonly width: number;
    /** The first good answer of a reply's calls ends the others. */
    readonly races?: true;
  };
}
