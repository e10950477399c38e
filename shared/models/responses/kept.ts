import { isRecord } from '../../agent/plain/merge.ts';
import { type Given, givenOf } from '../../agent/session/given.ts';
import type { Block } from '../../agent/session/slots.ts';

/**
 * The part of an item that is kept with its block, to be sent back to its model. Of a call it is under `call` of
 * {@link Given}, and of all others under `message`.
 */
export interface KeptItem {
  readonly id?: string;
  /** `commentary` or `final_answer`; models since gpt-5.3-codex want it back. */
  readonly phase?: string;
  /** Of reasoning: the id of the item after it, which it must not be sent without. */
  readonly before?: string;
  /** Of a server's tool: the whole item. */
  readonly item?: Readonly<Record<string, unknown>>;
}

/** What was kept of the item of a block; empty if its model does not speak this API. */
export function keptOf(block: Block): KeptItem {
  const { call, message } = givenOf(block);
  const kept = block.type === 'tool_use' ? call : message;
  return isRecord(kept) ? kept : {};
}

/** Items of the server's tools are stored as thinking that people cannot read: only their own model gets them. */
export const ITEM_BLOCK = 'redacted_thinking';
