import type { Standing } from '../../contract/listing.ts';
import type { Reason, State } from '../../contract/session.ts';
import { defined } from '../plain/defined.ts';
import type { Session } from './session.ts';
import { askedOf } from './waits.ts';

/** Reasons for which people are asked. */
const asksPeople: readonly (Reason | undefined)[] = ['awaiting_approval', 'awaiting_user'];

/** Characters of an ending's message that lists show. */
const MAX_MESSAGE = 200;

/** The state that lists show of a committed session. A session that waits for its own queued calls, or for sessions that it has begun, is shown as running. */
export function listedState({ state, reason }: Pick<Session, 'state' | 'reason'>): State {
  const isAtWork = reason !== 'awaiting_callback' && reason !== 'awaiting_timer';
  return state === 'waiting_for_tool' && isAtWork ? 'running' : state;
}

/** A session as an owner has committed it. */
export function standingOf(session: Session, epoch: number, at: number): Standing {
  const { agent, reason, run, totals, delegatedUsd, lastEnding, batch } = session;
  const state = listedState(session);
  const asked = asksPeople.includes(reason) ? askedOf({ batch }).length : 0;
  return {
    ...{ agent, state, steps: run?.steps ?? 0, totals, at, order: 2 * epoch },
    ...(state !== 'running' && reason && { reason }),
    ...(run?.ended && lastEnding && { message: lastEnding.message.slice(0, MAX_MESSAGE) }),
    ...(run?.model && { model: run.model }),
    ...(run?.ended && { ranMs: Math.max(0, (lastEnding?.at ?? at) - run.startedAt - run.pausedMs) }),
    ...(asked > 0 && { waits: asked }),
    ...defined({ delegatedUsd }),
  };
}

/** An unowned session that an event has made due: its next step begins a run, or continues one. */
export const standingWhenBegun = (
  { agent, totals, delegatedUsd, run }: Pick<Session, 'agent' | 'totals' | 'delegatedUsd' | 'run'>,
  epoch: number,
  at: number,
): Standing => ({
  ...{ agent, state: 'running', steps: 0, totals, at, order: 2 * epoch + 1 },
  ...(run?.model && { model: run.model }),
  ...defined({ delegatedUsd }),
});

/** Whether a commit changes what lists show. The process that brought a run's first message has already recorded its beginning. */
export const hasMoved = (before: Session, after: Session): boolean =>
  listedState(after) !== 'running' || isWaiting(before);

const isWaiting = (session: Session): boolean => /^waiting/.test(listedState(session));
