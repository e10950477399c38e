import type { Tally } from './tally.ts';

/** A day of a tenant, counted. */
export interface CountedDay {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  readonly tally: Tally;
}

/** How far a day is counted: the sessions up to this one, in the order of their ids. */
export interface Part {
  readonly after: string;
  readonly tally: Tally;
}

/** The counting of a tenant's days, one after the other. */
export interface Course {
  readonly tenant: string;
  /** The next day to count: `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  /** Epoch ms at which a sweep handles it. With `day` it also decides which sweep may: see {@link Days.move}. */
  readonly at: number;
  /** Absent if the day is not begun. */
  readonly part?: Part;
}

/**
 * Counted days of tenants (docs/days.md), and how far their counting is. Rejects if the table cannot be reached; each operation may
 * be repeated.
 */
export interface Days {
  /** Begins to count a tenant's days with this one, unless they are counted already. */
  begin(tenant: string, day: string, now: number): Promise<void>;
  /** Courses that are due for a sweep at `now`, a page at a time. May be out of date: `move` decides. */
  due(now: number): AsyncIterable<readonly Course[]>;
  /** Sets where a course continues, unless another process has moved it since it was read. Then the result is undefined. */
  move(course: Course, to: Omit<Course, 'tenant'>): Promise<Course | undefined>;
  /** Stores a counted day in place of an earlier count of it. It is kept for some days longer than people can ask for it. */
  put(tenant: string, counted: CountedDay): Promise<void>;
  /** The counted days from one to another, both included, oldest first. */
  read(tenant: string, from: string, to: string): Promise<readonly CountedDay[]>;
  /** Stops counting, and deletes all days. */
  remove(tenant: string): Promise<void>;
}

/** A session that lists know. */
export interface ActiveSession {
  readonly sessionId: string;
  /** Epoch ms: the begin of its first run. */
  readonly createdAt: number;
}

/** The sessions of a tenant that may have done something since a moment. */
export interface Activity {
  /**
   * Sessions with activity since `from` (epoch ms), as lists know it, and those that run, a page at a time. A session that moves in
   * the lists meanwhile may be missing, or be there twice.
   */
  since(tenant: string, from: number): AsyncIterable<readonly ActiveSession[]>;
}
