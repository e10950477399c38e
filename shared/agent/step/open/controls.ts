import type { Control, InboxEvent } from '../../ports/inbox.ts';
import type { Loaded } from './load.ts';

/** What the run has been asked to do: this one, not one that has ended meanwhile. */
export const controlsIn = ({ inbox }: Loaded, runId: string): Control[] =>
  inbox.flatMap((event) => (event.control && !isMoot(event, runId) ? [event.control] : []));

/** Whether an event has nothing to say to the run: it was incorporated before, or was asked of a run that has ended meanwhile. */
export const isMoot = ({ control, runId: meant, done }: InboxEvent, runId: string): boolean =>
  done === true || (control !== undefined && meant !== undefined && meant !== runId);
