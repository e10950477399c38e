import { type StepSlots, stepsIn } from '../../events/steps.ts';
import type { SessionStore } from '../../ports/sessions.ts';
import { ownStart } from '../../session/origin.ts';
import type { Session } from '../../session/session.ts';
import type { Slot } from '../../session/slots.ts';
import { timingIn } from '../../session/timing.ts';

/** Slots that are read at once. */
const WINDOW = 50;
/** Characters of them, at most, in one request. */
const MOST_BYTES = 1_000_000;
/** Slots behind a step that say more of it: its results, and the next step's timing. */
const BEHIND = 2;

/** A session's steps could not be read in time. */
export class TooLate extends Error {
  override name = 'TooLate';
}

/** A step with the time at which a worker claimed its session, in epoch ms. */
export interface TimedStep extends StepSlots {
  readonly at: number;
}

/**
 * The session's own steps that began at or after `from`, newest first, without those that it shares with the session that it was
 * forked from. Imported turns, and steps of versions that recorded no time, are left out.
 *
 * @param from epoch ms
 * @param isLate whether there is no time left to read on: then it throws {@link TooLate}
 */
export async function* stepsSince(
  session: Session,
  from: number,
  sessions: Pick<SessionStore, 'slots'>,
  isLate: () => boolean,
): AsyncGenerator<TimedStep> {
  const start = ownStart(session);
  const { infraUsd } = session.totals;
  const end = infraUsd === undefined ? undefined : { infraUsd };
  let behind: readonly Slot[] = [];
  for (let below = session.version; below > start; ) {
    if (isLate()) throw new TooLate();
    const first = Math.max(start, below - WINDOW);
    const window = await between(session, first, below, sessions);
    const steps = stepsIn([...window, ...behind], end).filter(({ asked }) => asked.n < below);
    for (const step of steps.toReversed()) {
      const at = startOf(step);
      if (at === undefined) continue;
      if (at < from) return;
      yield { ...step, at };
    }
    behind = [...window, ...behind].slice(0, BEHIND);
    below = first;
  }
}

const startOf = ({ asked: { at } }: StepSlots): number | undefined =>
  at === undefined ? undefined : timingIn(at).startedAt;

async function between(
  { key }: Session,
  from: number,
  below: number,
  sessions: Pick<SessionStore, 'slots'>,
): Promise<Slot[]> {
  const slots: Slot[] = [];
  for (let at = from; at < below; ) {
    const read = await sessions.slots(key, at, { below, bytes: MOST_BYTES });
    slots.push(...read.map(({ slot }) => slot));
    const last = read.at(-1)?.slot.n;
    if (last === undefined) break;
    at = last + 1;
  }
  return slots;
}
