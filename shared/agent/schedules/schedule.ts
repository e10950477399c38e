/** A schedule, and how far it has got. */

import type { ScheduleKey, ScheduleTerms, scheduleStates, TickOutcome } from '../../contract/schedules.ts';
import type { Speaker } from '../session/caller.ts';

/** A schedule as it is stored. */
export interface Schedule extends ScheduleTerms {
  readonly key: ScheduleKey;
  /** The person or machine whose words its messages are: its creator, or `schedule:<id>` for one of the definition. */
  readonly speaker: Speaker & { readonly by: string };
  /** Subject of the user who alone sees it, with its sessions; absent if everyone does who sees all (`userOf`). */
  readonly user?: string;
  /** It is part of the definition: only a deploy changes or removes it. */
  readonly declared: boolean;
  /**
   * An agent has set it for its own session, and it is removed after its last tick. With `overlap: 'queue'` its message goes in
   * whatever goes on there.
   */
  readonly reminder?: true;
  /** Epoch ms of the last tick of one with `every`; absent if it goes on for ever. */
  readonly until?: number;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** A tick that was taken and has no outcome on record yet, or whose outcome is not carried out. */
export interface Tick {
  /** Epoch ms at which it was due. */
  readonly at: number;
  /** Set if a person asked for it: tells it from others of the same time. */
  readonly run?: string;
  /** Ticks from `at` to this moment were noticed too late, and are left out. */
  readonly missedUntil?: number;
  /** Epoch ms at which it was taken. */
  readonly takenAt: number;
}

/** The money that its sessions have spent, as far as they have been asked. */
export interface Spent {
  /** The day or month of UTC that it is counted for; empty for `total`. */
  readonly span: string;
  readonly usd: number;
  /** Sessions that may still spend, and what they had spent when they were asked last. */
  readonly sessions: readonly { readonly sessionId: string; readonly usd: number }[];
}

/** How far a schedule has got. */
export interface Course {
  readonly state: (typeof scheduleStates)[number];
  /** Why it is paused, if no person has paused it. */
  readonly why?: string;
  /** Epoch ms from which `every` is counted. */
  readonly anchor: number;
  /** Epoch ms of the first tick that was not taken; absent if there is none. */
  readonly nextAt?: number;
  /** Oldest first; at most {@link MAX_OPEN} and those that people have asked for. */
  readonly open: readonly Tick[];
  /** Epoch ms at which open ticks are looked at again. */
  readonly retryAt?: number;
  /** The last tick that was started, and its session. */
  readonly last?: { readonly at: number; readonly sessionId: string };
  readonly spent?: Spent;
}

/** A schedule as it is stored. */
export interface StoredSchedule {
  readonly schedule: Schedule;
  readonly course: Course;
  /** Changes with each write. */
  readonly revision: number;
}

/** The outcome of a tick. The first record of a tick stands, and each process that holds the tick goes by it. */
export interface TickRecord {
  /** {@link tickIdOf}. */
  readonly id: string;
  /** Epoch ms at which it was due. */
  readonly at: number;
  /** Epoch ms at which this was decided. */
  readonly decidedAt: number;
  readonly outcome: TickOutcome;
  /** The session that was written to, or is in the way. */
  readonly sessionId?: string;
  /** Why it failed, in a sentence. */
  readonly detail?: string;
  /** For `missed`: the last moment of the ticks that were left out. */
  readonly missedUntil?: number;
}

/** Ticks of one schedule that may be open at once. Further ones are taken when there is room. */
export const MAX_OPEN = 20;

/** A tick's name within its schedule. Names sort by time. */
export const tickIdOf = ({ at, run = '' }: Pick<Tick, 'at' | 'run'>): string =>
  `${String(at).padStart(16, '0')}${run}`;

/** When it is to be looked at next, as epoch ms; undefined if never. */
export function lookAt({ state, nextAt, open, retryAt }: Course): number | undefined {
  const times = [
    ...(open.length > 0 ? [retryAt ?? 0] : []),
    ...(state === 'active' && nextAt !== undefined && open.length < MAX_OPEN ? [nextAt] : []),
  ];
  return times.length > 0 ? Math.min(...times) : undefined;
}
