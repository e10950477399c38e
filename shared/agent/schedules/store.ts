import type { ScheduleKey } from '../../contract/schedules.ts';
import type { StoredSchedule, TickRecord } from './schedule.ts';

/** The schedules of a definition that are stored. */
export interface Declared {
  /** Hash of what was declared. */
  readonly hash: string;
  readonly keys: readonly ScheduleKey[];
}

/**
 * Schedules, and what became of their ticks. An operation rejects if the service cannot be reached; it may then have been applied or
 * not, and may be repeated.
 */
export interface Schedules {
  /** Stores a new one, due at `lookAt` of its course. Returns the one that has its key already, if there is one. */
  create(stored: StoredSchedule): Promise<StoredSchedule | undefined>;
  /** Strongly consistent. */
  read(key: ScheduleKey): Promise<StoredSchedule | undefined>;
  /** Replaces revision `to.revision - 1`. `moved` if another process has written or removed it since. */
  write(to: StoredSchedule): Promise<'written' | 'moved'>;
  remove(key: ScheduleKey): Promise<'removed' | 'unknown'>;
  /** Schedules of a tenant by id, after this one. */
  page(tenant: string, after: string, limit: number): Promise<readonly StoredSchedule[]>;
  /** How many a tenant has; it stops counting at `most`. */
  count(tenant: string, most: number): Promise<number>;
  /** Schedules that are due at `until`, a page of at most 100 at a time: as far as the index is up to date. */
  due(until: number): AsyncIterable<readonly DueSchedule[]>;
  /** Records what becomes of a tick, unless there is a record: returns the one that stands. */
  record(key: ScheduleKey, record: TickRecord): Promise<TickRecord>;
  /** The record of a tick, strongly consistent; undefined if there is none. */
  recorded(key: ScheduleKey, id: string): Promise<TickRecord | undefined>;
  /** Replaces the record of a tick that could not be started. */
  correct(key: ScheduleKey, record: TickRecord): Promise<void>;
  /** Records from the latest one below this id on, at most `limit`. */
  records(key: ScheduleKey, below: string, limit: number): Promise<readonly TickRecord[]>;
  /** Those of the definition, as a process has stored them last. */
  declared(): Promise<Declared | undefined>;
  putDeclared(declared: Declared): Promise<void>;
}

/** A schedule to look at. */
export interface DueSchedule extends ScheduleKey {
  /** Epoch ms. */
  readonly dueAt: number;
}
