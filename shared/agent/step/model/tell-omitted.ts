import type { ToolsOmitted } from '../../../contract/events.ts';
import type { Step } from '../open/step-context.ts';

/** Reports tools that the session goes without to operators, and to clients when the step is committed. */
export function tellOmitted(
  { loaded, io, atCommit }: Pick<Step, 'loaded' | 'io' | 'atCommit'>,
  omitted: readonly ToolsOmitted[],
): void {
  for (const value of omitted) {
    io.meter.toolsOmitted(loaded.key, value);
    atCommit.push({ type: 'CUSTOM', name: 'steploop.tools_omitted', value });
  }
}
