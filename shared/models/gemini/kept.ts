import { isRecord } from '../../agent/plain/merge.ts';
import { givenOf } from '../../agent/session/given.ts';
import type { Block } from '../../agent/session/slots.ts';

/** The data that is kept with a block of a reply for its model. `Given` has it under `call` for a call, and otherwise under `message`. */
export interface Kept {
  /** The signature that came with the part, as base64. */
  readonly thoughtSignature?: string;
  /** Set if the block is a text that only carries a signature: blank texts are not stored as texts. */
  readonly isText?: true;
}

/** The kept data of a block; empty if its model does not speak this API. */
export function keptOf(block: Block): Kept {
  const { call, message } = givenOf(block);
  const kept = block.type === 'tool_use' ? call : message;
  return isRecord(kept) ? kept : {};
}
