import type { Ports } from '../../shared/agent/ports/ports.ts';
import type { StepOptions } from '../../shared/agent/step/open/options.ts';

/** The ports of a step that may begin sessions: the code for that is loaded with the first one. */
export const withChildren = (io: Ports, { agentOf }: StepOptions): Ports => ({
  ...io,
  children: {
    begin: async (child) => (await import('./begin-children.ts')).beginning(io, agentOf).begin(child),
    define: async (...asked) => (await import('./begin-children.ts')).beginning(io, agentOf).define(...asked),
  },
});
