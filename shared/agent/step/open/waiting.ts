import { isNamedIn } from '../../session/named.ts';
import { type Wait, waitsOutside } from '../../session/waits.ts';
import type { Loaded } from './load.ts';

/** Whether a message of a person who may answer has arrived meanwhile: in a chat, it answers a question. */
export const answerCame = ({ inbox, answerers = [] }: Pick<Loaded, 'inbox' | 'answerers'>): boolean =>
  inbox.some(
    ({ done, control, report, by: subject, caller }) =>
      !done &&
      !control &&
      !report &&
      (answerers.length === 0 || isNamedIn(answerers, { subject, roles: caller?.roles })),
  );

/** Waits that nothing has settled: no decision or result, no message in place of an answer, and no expiry. */
export function openWaits(loaded: Loaded, now: number): Wait[] {
  const { session, fence } = loaded.view;
  const answered = answerCame(loaded);
  return (session.batch?.waits ?? []).filter(
    ({ id, kind, expiresAt }) =>
      fence.pending.includes(id) && expiresAt > now && !(kind === 'question' && answered),
  );
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
