import type { Reading } from '../../context/reading.ts';
import type { Malformed } from '../../session/reply.ts';
import type { InputTurn, Slot } from '../../session/slots.ts';

/** A request that its server has refused, and what it was made of. */
export interface RefusedRequest {
  readonly history: readonly Slot[];
  readonly input: readonly InputTurn[];
  /** Number of the slot that has this input. */
  readonly n: number;
  readonly runId: string;
  readonly reading: Reading;
  readonly hasTools: boolean;
  /** Absent where no part of the conversation is to blame, unless it is media. */
  readonly malformed: Malformed | undefined;
}
