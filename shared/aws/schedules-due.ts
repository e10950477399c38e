/** The part of the schedules that the sweeper reads each minute. */

import type { DueSchedule, Schedules } from '../agent/schedules/store.ts';
import { tableLayout } from '../contract/env.ts';
import type { Dynamo } from './dynamo.ts';
import { merged } from './merged.ts';
import { declaredKey, scheduleDueShards, schedulePrefix } from './schedules-layout.ts';

/** Schedules of one page. */
const PAGE = 100;
/** Partitions that are read at once. */
const AT_ONCE = 8;

export function createDueSchedules(dynamo: Dynamo): Pick<Schedules, 'due' | 'declared'> {
  async function* ofShard(shard: string, until: number): AsyncGenerator<readonly DueSchedule[]> {
    const { index, partitionKey, sortKey } = tableLayout.due;
    const pages = dynamo.index({
      name: index,
      partition: { name: partitionKey, value: shard },
      sort: { name: sortKey, min: 0, max: until },
      pageSize: PAGE,
    });
    for await (const { items } of pages)
      if (items.length > 0)
        yield items.map(({ pk, sk, sweepAt }) => ({
          tenant: pk.slice(0, pk.indexOf('#')),
          id: sk.slice(schedulePrefix.length),
          dueAt: sweepAt,
        }));
  }
  return {
    due: (until) =>
      merged(
        scheduleDueShards.map((shard) => ofShard(shard, until)),
        AT_ONCE,
      ),

    async declared() {
      const item = await dynamo.get(declaredKey);
      return item && { hash: item.hash, keys: JSON.parse(item.keys) };
    },
  };
}
