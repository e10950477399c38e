import type { Loaded } from './load.ts';
import type { Control } from './ports.ts';

/** What the run has been asked to do. */
export const controlsIn = ({ inbox }: Loaded): Control[] =>
  inbox.flatMap(({ control, done }) => (control && !done ? [control] : []));
