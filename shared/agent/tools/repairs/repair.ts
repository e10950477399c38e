import type { Pinned, PinnedTool } from '../../session/pinned.ts';
import type { ToolCall } from '../../session/slots.ts';

/** The tools that calls are read by, as the session has pinned them. */
export type ToolsRead = Pick<Pinned, 'tools' | 'search'>;

/**
 * One way in which models write invalid calls, and its correction. Pure, and bounded by the size of the call. Returns the same
 * object if there is nothing to repair, or if more than one reading fits.
 */
export type Repair = (call: ToolCall, pinned: ToolsRead) => ToolCall;

/** The schema by which a call is checked; undefined if there is no such tool. */
export const schemaOf = ({ name }: ToolCall, { tools }: ToolsRead): PinnedTool['input_schema'] | undefined =>
  tools.find((tool) => tool.name === name)?.input_schema;
