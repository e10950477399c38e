import type { Pinned } from '../../session/pinned.ts';
import type { ToolCall } from '../../session/slots.ts';

/** The tools that calls are read by, as the session has pinned them. */
export type ToolsRead = Pick<Pinned, 'tools'>;

/**
 * One way in which models write calls that no tool takes, and what is meant by it. Pure, and bounded by the size of the call. Returns the same object
 * where there is nothing to repair, or where more than one reading fits.
 */
export type Repair = (call: ToolCall, pinned: ToolsRead) => ToolCall;
