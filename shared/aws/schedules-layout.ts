/** Where the table keeps schedules (`layout.ts` has everything else). */

import { hash } from '../agent/plain/hash.ts';
import type { ScheduleKey } from '../contract/schedules.ts';
import type { ItemKey } from './dynamo.ts';

/**
 * Number of partitions over which schedules are spread in the index of what is due, all tenants together. Each takes 1,000 write
 * units a second, and a tick moves its schedule three times, which are two units each: 16 take 100,000 ticks in 40 s. An empty one costs
 * half a read unit a minute.
 */
const DUE_SHARDS = 16;

/** Number of partitions over which the schedules of one tenant are spread: each tick writes its schedule twice. */
const TENANT_SHARDS = 16;

const numberOf = (text: string, count: number): number => Number.parseInt(hash(text, 8), 16) % count;

/** The partition of the index for a schedule. */
export const dueShardOf = ({ tenant, id }: ScheduleKey): string =>
  `schedule#${numberOf(`${tenant}#${id}`, DUE_SHARDS)}`;

export const scheduleDueShards: readonly string[] = Array.from(
  { length: DUE_SHARDS },
  (_, n) => `schedule#${n}`,
);

const pkOfShard = (tenant: string, n: number): string => `${tenant}#schedules#${n}`;

/** All partitions with schedules of a tenant. */
export const schedulePks = (tenant: string): readonly string[] =>
  Array.from({ length: TENANT_SHARDS }, (_, n) => pkOfShard(tenant, n));

export const schedulePrefix = 'S#';
export const scheduleKey = ({ tenant, id }: ScheduleKey): ItemKey => ({
  pk: pkOfShard(tenant, numberOf(id, TENANT_SHARDS)),
  sk: `${schedulePrefix}${id}`,
});

/** The partition of what became of a schedule's ticks. */
export const ticksPk = ({ tenant, id }: ScheduleKey): string => `${tenant}#schedule#${id}`;
export const tickPrefix = 'T#';
export const tickKey = (key: ScheduleKey, id: string): ItemKey => ({
  pk: ticksPk(key),
  sk: `${tickPrefix}${id}`,
});

/** Which schedules of the definition are stored. */
export const declaredKey: ItemKey = { pk: '_schedules', sk: 'DECLARED' };

/** Seconds for which the table keeps what became of a tick: 90 days. */
export const TICK_SECONDS = 90 * 24 * 3600;
/** Seconds for which it keeps a schedule that has no more ticks: 30 days. */
export const DONE_SECONDS = 30 * 24 * 3600;
