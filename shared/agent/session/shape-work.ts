import type { ToolResult } from './slots.ts';

/** The facts that a shape decides by (docs/shapes.md): its task, and the agents that it has asked. Follows from committed state alone. */
export interface ShapeWork {
  /** The messages of people that make up the task, in order. */
  readonly said: readonly string[];
  /** The calls of each reply since the first of these messages, in order. */
  readonly batches: readonly (readonly AskedAgent[])[];
  /** Number of the slot that the next reply is stored in. */
  readonly slot: number;
  /** Sessions that may be begun now. */
  readonly room: number;
  /** The run is about to end: only a report is wanted. */
  readonly ends?: true;
}

/** An agent that a shape has asked, and its answer. */
export interface AskedAgent extends Pick<ToolResult, 'outcome' | 'content' | 'json'> {
  /** Id of the call. */
  readonly id: string;
  /** Its tool. */
  readonly name: string;
  /** An earlier run asked it, and this one goes on with the same task. */
  readonly before?: true;
}
