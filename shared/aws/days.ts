/** Counted days of tenants. The first request for them loads it, and so does a sweeper when a day is to be counted. */

import type { CountedDay, Course, Days } from '../agent/entrypoints/days/store.ts';
import { MAX_DAYS } from '../contract/days.ts';
import { coursesDue } from './days-due.ts';
import type { Dynamo, Item, ItemKey } from './dynamo.ts';
import { historyShard, ttlFrom } from './layout.ts';

/** Lifetime of a counted day in seconds, from its beginning: ten days longer than it can be asked for. */
const KEPT_SECONDS = (MAX_DAYS + 10) * 24 * 3600;

const courseSk = 'COURSE';
const dayPrefix = 'DAY#';

/** A session's partition has one `#`, so none can have the same name. */
export const daysPk = (tenant: string): string => `${tenant}#history#days`;
const courseKey = (tenant: string): ItemKey => ({ pk: daysPk(tenant), sk: courseSk });

export function createDays(dynamo: Dynamo): Days {
  return {
    async begin(tenant, day, now) {
      const item = { ...courseKey(tenant), tenant, day, dueShard: historyShard, sweepAt: now };
      await dynamo.put(item, ['attribute_not_exists(#pk)']);
    },

    async *due(now) {
      for await (const { items } of coursesDue(dynamo, now)) {
        if (items.length === 0) continue;
        const found = await dynamo.getAll(items.map(({ pk, sk }) => ({ pk, sk })));
        yield found.filter(({ sweepAt }) => sweepAt <= now).map(toCourse);
      }
    },

    async move({ tenant, day: before, at: dueBefore }, { day, at, part }) {
      const written = await dynamo.update({
        key: courseKey(tenant),
        set: ['#day = :day', '#sweepAt = :at', ...(part ? ['#part = :part'] : [])],
        remove: part ? [] : ['#part'],
        when: ['#day = :before', '#sweepAt = :dueBefore'],
        values: { day, at, before, dueBefore, ...(part && { part: JSON.stringify(part) }) },
      });
      return written.kind === 'written' ? toCourse(written.item) : undefined;
    },

    async put(tenant, { day, tally }) {
      const ttl = ttlFrom(Date.parse(day), KEPT_SECONDS);
      await dynamo.put({ pk: daysPk(tenant), sk: `${dayPrefix}${day}`, tally: JSON.stringify(tally), ttl });
    },

    async read(tenant, from, to) {
      const days: CountedDay[] = [];
      const range = dynamo.range(daysPk(tenant), `${dayPrefix}${from}`, `${dayPrefix}${to}`, {
        consistency: 'eventual',
      });
      for await (const { sk, tally } of range)
        days.push({ day: sk.slice(dayPrefix.length), tally: JSON.parse(tally) });
      return days;
    },

    async remove(tenant) {
      const keys: ItemKey[] = [];
      for await (const { pk, sk } of dynamo.range(daysPk(tenant), '!', '~')) keys.push({ pk, sk });
      for (const key of keys) await dynamo.remove(key, []);
    },
  };
}

const toCourse = ({ tenant, day, sweepAt, part }: Item): Course => ({
  ...{ tenant, day, at: sweepAt },
  ...(part && { part: JSON.parse(part) }),
});
