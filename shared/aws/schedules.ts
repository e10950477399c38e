/** Schedules in DynamoDB. Loaded with the first request or message for one. */

import type { Clock } from '../agent/ports/ports.ts';
import { lookAt, type StoredSchedule, type TickRecord } from '../agent/schedules/schedule.ts';
import type { Schedules } from '../agent/schedules/store.ts';
import type { ScheduleKey } from '../contract/schedules.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { endOf, ttlFrom } from './layout.ts';
import { createDueSchedules } from './schedules-due.ts';
import {
  DONE_SECONDS,
  declaredKey,
  dueShardOf,
  scheduleKey,
  schedulePks,
  schedulePrefix,
  TICK_SECONDS,
  tickKey,
  tickPrefix,
  ticksPk,
} from './schedules-layout.ts';

/**
 * The SDK sends a write again when its answer is lost. A refused write that finds its own content was applied before; `record` returns
 * the record that stands, and every other write is absolute.
 */
export function createSchedules(dynamo: Dynamo, clock: Pick<Clock, 'now'>): Schedules {
  const itemOf = (stored: StoredSchedule): Item => {
    const at = lookAt(stored.course);
    const { key } = stored.schedule;
    return {
      ...scheduleKey(key),
      ...(at !== undefined && { dueShard: dueShardOf(key), sweepAt: at }),
      ...(stored.course.state === 'done' && { ttl: ttlFrom(clock.now(), DONE_SECONDS) }),
      revision: stored.revision,
      body: bodyOf(stored),
    };
  };
  const tickItem = (key: ScheduleKey, record: TickRecord): Item => ({
    ...tickKey(key, record.id),
    ttl: ttlFrom(record.decidedAt, TICK_SECONDS),
    body: JSON.stringify(record),
  });
  /** Schedules of one partition, up to `limit`. */
  const some = async (pk: string, after: string, limit: number): Promise<StoredSchedule[]> => {
    const found: StoredSchedule[] = [];
    // U+0000 follows an id directly.
    const from = `${schedulePrefix}${after}${after === '' ? '' : '\u0000'}`;
    for await (const item of dynamo.range(pk, from, endOf(schedulePrefix), { limit })) {
      found.push(toStored(item));
      if (found.length === limit) break;
    }
    return found;
  };
  return {
    ...createDueSchedules(dynamo),

    async create(stored) {
      const written = await dynamo.put(itemOf(stored), ['attribute_not_exists(#pk)']);
      if (written.kind === 'written' || isSame(written.item, stored)) return undefined;
      return written.item && toStored(written.item);
    },

    async read(key) {
      const item = await dynamo.get(scheduleKey(key));
      return item && toStored(item);
    },

    async write(to) {
      const written = await dynamo.put(itemOf(to), ['#revision = :before'], { before: to.revision - 1 });
      if (written.kind === 'written') return 'written';
      return isSame(written.item, to) ? 'written' : 'moved';
    },

    async remove(key) {
      const removed = await dynamo.remove(scheduleKey(key), []);
      return removed.item?.body === undefined ? 'unknown' : 'removed';
    },

    async page(tenant, after, limit) {
      const parts = await Promise.all(schedulePks(tenant).map((pk) => some(pk, after, limit)));
      return parts
        .flat()
        .sort((a, b) => (a.schedule.key.id < b.schedule.key.id ? -1 : 1))
        .slice(0, limit);
    },

    async count(tenant, most) {
      const parts = await Promise.all(schedulePks(tenant).map((pk) => some(pk, '', most)));
      return Math.min(most, parts.flat().length);
    },

    async record(key, record) {
      const written = await dynamo.put(tickItem(key, record), ['attribute_not_exists(#pk)']);
      return written.kind === 'refused' && written.item ? JSON.parse(written.item.body) : record;
    },

    async recorded(key, id) {
      const item = await dynamo.get(tickKey(key, id));
      return item && JSON.parse(item.body);
    },

    async correct(key, record) {
      await dynamo.put(tickItem(key, record));
    },

    async records(key, below, limit) {
      const found: TickRecord[] = [];
      const to = below === '' ? endOf(tickPrefix) : `${tickPrefix}${below}`;
      for await (const item of dynamo.range(ticksPk(key), tickPrefix, to, {
        limit: limit + 1,
        newestFirst: true,
      })) {
        const record: TickRecord = JSON.parse(item.body);
        if (record.id !== below) found.push(record);
        if (found.length === limit) break;
      }
      return found;
    },

    async putDeclared({ hash, keys }) {
      await dynamo.put({ ...declaredKey, hash, keys: JSON.stringify(keys) });
    },
  };
}

const bodyOf = ({ schedule, course }: StoredSchedule): string => JSON.stringify({ schedule, course });

const isSame = (item: Item | undefined, stored: StoredSchedule): boolean =>
  item?.revision === stored.revision && item.body === bodyOf(stored);

const toStored = ({ body, revision }: Item): StoredSchedule => ({ ...JSON.parse(body), revision });
