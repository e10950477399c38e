import type { SessionKey } from '../../contract/session.ts';
import type { Callers } from '../session/caller.ts';

/** A message that a session is to get at a moment. */
export interface Reminder {
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  /** IANA name of the zone in which the time is told. */
  readonly zone: string;
  /** Its title in lists. */
  readonly name: string;
  /** Set if it comes again at equal distances, from `at` on. */
  readonly again?: Again;
}

/** How a reminder comes again. It is left out while a run of its session goes on. */
export interface Again {
  /** A whole number and `m`, `h` or `d`. */
  readonly every: string;
  /** Epoch ms at which it comes for the last time. */
  readonly until: number;
  /** USD that the session may spend from the first one on; further ones are left out. */
  readonly usd?: number;
}

/** A reminder to set. */
export interface NewReminder extends Omit<Reminder, 'id'> {
  /** The message, up to 10,000 characters. */
  readonly text: string;
}

/**
 * Messages that the session gets later (docs/timers.md). They are in the name of the one person who asks, without roles; if there are
 * several, or none is known, they have no user.
 */
export interface Reminders {
  /** Sets one. The same call sets its n-th reminder once, however often it runs. Throws if the session or tenant has too many. */
  set(reminder: NewReminder): Promise<Reminder>;
  /** Those of the session that are still to come, the next one first. */
  list(): Promise<readonly Reminder[]>;
  /** Whether there was such a reminder of this session. */
  cancel(id: string): Promise<boolean>;
}

/** The call that sets reminders, and the people for whom it is made. */
export interface Reminding extends SessionKey, Callers {
  /** The same for every attempt at the call. */
  readonly idempotencyKey: string;
  /** The session's agent. */
  readonly agent: string;
}
