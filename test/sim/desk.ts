import { ownSince } from '../../shared/agent/session/handoffs.ts';
import type { Session } from '../../shared/agent/session/session.ts';

/** The agent to which the simulated one may give its session, and which may give it back. */

export const DESK = 'desk';
/** Name of the tool with which each of the two hands over. */
export const OVER = 'over';

const MARK = 'At the desk. ';
export const systemOf = (name: string, system: string): string =>
  name === DESK ? `${MARK}${system}` : system;
export const isOfDesk = (system: string): boolean => system.startsWith(MARK);

/** Names the time for which an agent has a session, from one handoff to the next. */
export const holding = (session: Session): string => `${session.agent} ${ownSince(session)}`;

/** The slot at which that time begins. */
export const sinceOf = (held: string): number => Number(held.split(' ').at(-1));
