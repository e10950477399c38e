import type { ToolResult } from './slots.ts';

/** Whether a call has run, or may have. Any other outcome counts only with the commit of the step that reports it. */
export const mayHaveRun = ({ outcome }: ToolResult): boolean =>
  outcome !== 'cancelled' && outcome !== 'refused';
