import type { Pinned, PinnedTool } from '../../session/pinned.ts';
import type { ToolCall } from '../../session/slots.ts';

/** The tools that calls are read by, as the session has pinned them. */
export type ToolsRead = Pick<Pinned, 'tools' | 'search'>;

/**
 * One way in which models write calls that no tool takes, and what is meant by it. Pure, and bounded by the size of the call. Returns the same object
 * where there is nothing to repair, or where more than one reading fits.
 */
export type Repair = (call: ToolCall, pinned: ToolsRead) => ToolCall;

/** The schema by which a call is checked; undefined when there is no such tool. */
export const schemaOf = ({ name }: ToolCall, { tools }: ToolsRead): PinnedTool['input_schema'] | undefined =>
  tools.find((tool) => tool.name === name)?.input_schema;
