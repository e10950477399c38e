import type { SessionKey } from '../../contract/session.ts';
import type { Ports } from '../ports/ports.ts';
import type { Session } from '../session/session.ts';
import { texts } from '../texts.ts';
import { type Accepted, type Arrival, accept } from './accept.ts';

/** Why a session cannot be tried again: its run goes on or waits, it has never run, or its last run is done. */
export type NotToRetry = 'busy' | 'never_ran' | 'completed';

/**
 * Begins a run that goes on where the last one ended before it was done: because of a model's server, a limit, a guard, or who has
 * stopped it. What was said and done stays; the model is told that it is to go on, and people are shown nothing new. A repetition with the
 * same event id begins no second one.
 */
export async function retryRun(
  key: SessionKey,
  asked: Pick<Arrival, 'eventId' | 'by' | 'caller'>,
  io: Pick<Ports, 'clock' | 'inbox' | 'queue' | 'sessions' | 'listings'>,
): Promise<Accepted | NotToRetry> {
  const view = await io.sessions.read(key);
  if (!view) return 'unknown_session';
  const [known] = await io.inbox.read(key, [asked.eventId]);
  if (known?.done) return 'duplicate';
  const why = known ? undefined : whyNotRetry(view.session, view.dueAt !== undefined);
  if (why) return why;
  const text = known?.text ?? texts.goOnAfter(view.session.lastEnding?.reason ?? 'unknown');
  return accept(key, { ...asked, text, internal: 'retry' }, io);
}

function whyNotRetry({ run, state, batch }: Session, isDue: boolean): NotToRetry | undefined {
  if (isDue || batch) return 'busy';
  if (!run?.ended) return 'never_ran';
  return state === 'completed' ? 'completed' : undefined;
}
