import type { SessionKey } from '../../contract/session.ts';
import { defined } from '../plain/defined.ts';
import { own } from '../plain/merge.ts';
import type { Ports } from '../ports/ports.ts';
import { type Decision, isForPeople } from '../session/waits.ts';
import { wakeFor } from '../session/wake.ts';

/** A person's decision that arrives. `note` is the answer to a question, or the reason of a refusal. */
export type NewDecision = Omit<Decision, 'at'>;

/** `closed`: the wait has expired, its run was stopped, or there never was such a wait. `busy`: try again in a moment. */
export type DecideResult = 'decided' | 'already_decided' | 'closed' | 'busy' | 'unknown';

/** A step that owns the session has released it after this many tries, each 200 ms later than the previous one. */
const TRIES = 6;
const PAUSE_MS = 200;

/**
 * Decides on something for which a run waits. A decision counts once: of two decisions the first one stands. Resolves when it
 * is durable and a wake is on the queue.
 *
 * @param by the decider, as the caller has verified them
 */
export async function decide(
  key: SessionKey,
  waitId: string,
  { approved, by, caller, note, grant, changes }: NewDecision,
  io: Pick<Ports, 'clock' | 'sessions' | 'queue'>,
): Promise<DecideResult> {
  for (let n = 1; n <= TRIES; n++) {
    const view = await io.sessions.read(key);
    if (!view) return 'unknown';
    const { session, fence } = view;
    const now = io.clock.now();
    if (own(fence.decisions, waitId)) {
      // The wake of the first decision may not have been sent.
      await io.queue.send(wakeFor(session));
      return 'already_decided';
    }
    const wait = session.batch?.waits.find(({ id }) => id === waitId);
    if (!wait || !isForPeople(wait) || !fence.pending.includes(waitId) || wait.expiresAt <= now)
      return 'closed';
    // Half a surrogate pair is not valid text: the model's server would refuse it in every request.
    const said = note === undefined ? {} : { note: note.toWellFormed() };
    const given = { ...defined({ caller, grant, changes }) };
    const decided = await io.sessions.decide(key, waitId, { approved, by, at: now, ...said, ...given });
    if (decided === 'decided') {
      await io.queue.send(wakeFor(session));
      return 'decided';
    }
    await io.clock.sleep(n * PAUSE_MS);
  }
  return 'busy';
}

/**
 * Has a session look at what the sessions below it ask, because one of them has been answered: clients that follow this session see
 * at once that the decision counts.
 */
export async function lookBelow(
  key: SessionKey,
  { clock, sessions, queue }: Pick<Ports, 'clock' | 'sessions' | 'queue'>,
): Promise<void> {
  if ((await sessions.knock(key, clock.now())) === 'knocked') await queue.send(key);
}
