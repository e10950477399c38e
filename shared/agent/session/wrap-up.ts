import { firstSlotOf } from './run-ids.ts';
import type { Session } from './session.ts';

/** Time in ms that a session has for the summary of its work, at most (docs/children.md#stopping). */
export const MOST_WRAP_UP_MS = 120_000;
/** Whether a session works on the task that it was begun for: people who write to it afterwards have no such limits. */
export const isAtTask = ({ run }: Pick<Session, 'run'>): boolean =>
  !run || (!run.ended && firstSlotOf(run.id) === 0);

/** Epoch ms from which on a session sums up. Undefined if nothing waits for its answer. */
export const wrapUpAtOf = (session: Pick<Session, 'parent' | 'run'>): number | undefined =>
  isAtTask(session) ? session.parent?.wrapUpAt : undefined;
