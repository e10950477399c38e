import { isRecord } from '../../agent/plain/merge.ts';
import { type Given, givenOf } from '../../agent/session/given.ts';
import type { Block } from '../../agent/session/slots.ts';

/**
 * The part of an item that is kept with its block, to be sent back to its model. {@link Given} has it under `call` if the
 * item is a call, and under `message` otherwise.
 */
export interface KeptItem {
  readonly id?: string;
  /** `commentary` or `final_answer`; models since gpt-5.3-codex want it back. */
  readonly phase?: string;
  /** The id of the item after reasoning, which must not be sent without that item. */
  readonly before?: string;
  /** The whole item of a server's tool. */
  readonly item?: Readonly<Record<string, unknown>>;
}

/** The kept part of a block's item; empty if the block's model does not speak this API. */
export function keptOf(block: Block): KeptItem {
  const { call, message } = givenOf(block);
  const kept = block.type === 'tool_use' ? call : message;
  return isRecord(kept) ? kept : {};
}

/** Items of the server's tools are stored as thinking that people cannot read: only their own model gets them. */
export const ITEM_BLOCK = 'redacted_thinking';
