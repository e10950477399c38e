import type { SessionKey } from '../../contract/session.ts';
import type { Ports } from '../ports/ports.ts';
import type { Session } from '../session/session.ts';
import { speakersOf } from '../session/speakers.ts';
import { texts } from '../texts.ts';
import { type Accepted, type Arrival, accept } from './accept.ts';

/** Why a session cannot be retried: its run is active or waiting, it has never run, or its last run is complete. */
export type NotToRetry = 'busy' | 'never_ran' | 'completed';

/**
 * Begins a run that continues where the last one ended early, whether a model's server, a limit, a guard or a person stopped
 * it. The conversation stays; the model is told to continue, and people are shown nothing new. A repetition with the same event
 * id does not begin a second run.
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
  const carries = known?.carries ?? speakersOf(view.session.run ?? {});
  return accept(key, { ...asked, text, internal: 'retry', carries }, io);
}

function whyNotRetry({ run, state, batch }: Session, isDue: boolean): NotToRetry | undefined {
  if (isDue || batch) return 'busy';
  if (!run?.ended) return 'never_ran';
  return state === 'completed' ? 'completed' : undefined;
}
