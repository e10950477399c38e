import type { ToolResult } from './slots.ts';

/** Whether a call has run, or may have: what else is said of it counts with the commit of the step that says it. */
export const mayHaveRun = ({ outcome }: ToolResult): boolean =>
  outcome !== 'cancelled' && outcome !== 'refused';
