import type { Reading } from '../../context/reading.ts';
import type { Malformed } from '../../session/reply.ts';
import type { InputTurn, Slot } from '../../session/slots.ts';

/** A request that its server has refused, and what it was made from. */
export interface RefusedRequest {
  readonly history: readonly Slot[];
  readonly input: readonly InputTurn[];
  /** Number of the slot that has this input. */
  readonly n: number;
  readonly runId: string;
  readonly reading: Reading;
  readonly hasTools: boolean;
  /** Absent if no part of the conversation is the cause, unless media are. */
  readonly malformed: Malformed | undefined;
}
