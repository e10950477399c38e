import type { SessionKey } from '../../../contract/session.ts';
import { allEnded } from '../../plain/all-ended.ts';
import { hash } from '../../plain/hash.ts';
import { type Control, extrasOf, type InboxEvent } from '../../ports/inbox.ts';
import type { Ports } from '../../ports/ports.ts';
import { runIdAt } from '../../session/run-ids.ts';

/**
 * Sends a control to the task of a session that works for another one, once: its id follows from the call. A session that has
 * ended meanwhile ignores it.
 *
 * @param callId the id of the answer to the call ({@link ParentCall.id})
 */
export async function sendControl(
  child: SessionKey,
  control: Control,
  callId: string,
  more: Pick<InboxEvent, 'by' | 'caller' | 'until'>,
  { clock, inbox, queue, listings }: Pick<Ports, 'clock' | 'inbox' | 'queue' | 'listings'>,
): Promise<void> {
  const now = clock.now();
  const event: InboxEvent = {
    ...{ id: `${control}-${callId}`, text: control, digest: hash(control), at: now },
    ...extrasOf({ ...more, control, runId: runIdAt(child, 0) }),
  };
  const told = await inbox.accept(child, event, now, 'keep');
  if (told.kind !== 'accepted' && told.kind !== 'duplicate') return;
  const { wake, began } = told;
  await allEnded([wake && queue.send(wake), began && listings.moved(child, began)]);
}
