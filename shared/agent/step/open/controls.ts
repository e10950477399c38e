import type { Control, InboxEvent } from '../../ports/inbox.ts';
import type { Loaded } from './load.ts';

/** The controls of this run, without those of a run that has ended meanwhile. */
export const controlsIn = ({ inbox }: Loaded, runId: string): Control[] =>
  inbox.flatMap((event) => (event.control && !isMoot(event, runId) ? [event.control] : []));

/** Whether an event has no effect on the run: it was already incorporated, or controls a run that has ended meanwhile. */
export const isMoot = ({ control, runId: meant, done }: InboxEvent, runId: string): boolean =>
  done === true || (control !== undefined && meant !== undefined && meant !== runId);
