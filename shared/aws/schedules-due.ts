/** The part of the schedules that the sweeper reads each minute. */

import type { DueSchedule, Schedules } from '../agent/schedules/store.ts';
import { duePages } from './due-index.ts';
import type { Dynamo } from './dynamo.ts';
import { merged } from './merged.ts';
import { declaredKey, scheduleDueShards, schedulePrefix } from './schedules-layout.ts';

/** Schedules of one page. */
const PAGE = 100;
/** Partitions that are read at once. */
const AT_ONCE = 8;

export function createDueSchedules(dynamo: Dynamo): Pick<Schedules, 'due' | 'declared'> {
  async function* ofShard(shard: string, until: number): AsyncGenerator<readonly DueSchedule[]> {
    for await (const { items } of duePages(dynamo, shard, until, PAGE))
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
