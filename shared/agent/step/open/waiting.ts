import type { InboxEvent } from '../../ports/inbox.ts';
import { isNamedIn } from '../../session/named.ts';
import { runOf } from '../../session/session.ts';
import { endsWith, type Wait, waitsOutside } from '../../session/waits.ts';
import { isMoot } from './controls.ts';
import type { Loaded } from './load.ts';

/** Whether a message of a person who may answer has arrived meanwhile: in a chat, it answers a question. */
export const answerCame = ({ inbox, answerers = [] }: Pick<Loaded, 'inbox' | 'answerers'>): boolean =>
  inbox.some(
    ({ done, control, report, internal, by: subject, caller }) =>
      !done &&
      !control &&
      !report &&
      internal !== 'parent' &&
      (answerers.length === 0 || isNamedIn(answerers, { subject, roles: caller?.roles })),
  );

/** Whether something has arrived that a resting run must hear: a message of anyone, or a control of this run. */
export const newsCame = ({ inbox, view: { session } }: Pick<Loaded, 'inbox' | 'view'>): boolean =>
  inbox.some((event) => !isMoot(event, runOf(session).id));

/** The request to wrap up that a run has, and has not passed on to those that it waits for. */
export const wrapUpAsked = ({ inbox, view: { session } }: Loaded): InboxEvent | undefined =>
  session.batch?.wrapsUp
    ? undefined
    : inbox.find((event) => event.control === 'wrap_up' && !isMoot(event, runOf(session).id));

/** Whether events that end waits early have arrived. */
export const cameFor = (
  loaded: Loaded,
): Readonly<Record<NonNullable<ReturnType<typeof endsWith>>, boolean>> => ({
  answer: answerCame(loaded),
  news: newsCame(loaded),
});

/** Waits that nothing has settled or ended: no decision or result, no message in place of an answer, no news, and no expiry. */
export function openWaits(loaded: Loaded, now: number): Wait[] {
  const { session, fence } = loaded.view;
  const came = cameFor(loaded);
  return (session.batch?.waits ?? []).filter((wait) => {
    const ends = endsWith(wait);
    return fence.pending.includes(wait.id) && wait.expiresAt > now && !(ends && came[ends]);
  });
}

/**
 * Whether a run that was woken must continue to wait for something outside. False if it is asked to stop. Queued calls need no
 * check: their session is due when the last one is done, when they expire, or when the run is cancelled.
 */
export function mustWait(loaded: Loaded, now: number): boolean {
  const { session, fence } = loaded.view;
  const stops = fence.cancelGen > session.cancelSeen;
  return !stops && waitsOutside(session) && openWaits(loaded, now).length > 0;
}
