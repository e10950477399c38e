import type { Control } from '../ports.ts';
import type { Loaded } from './load.ts';

/** What the run has been asked to do: this one, not one that has ended meanwhile. */
export const controlsIn = ({ inbox }: Loaded, runId: string): Control[] =>
  inbox.flatMap(({ control, runId: meant = runId, done }) =>
    control && !done && meant === runId ? [control] : [],
  );
