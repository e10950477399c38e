/** The sessions that are due, from all partitions of their index. The sweeper loads it. */

import type { Sleeper } from '../agent/ports/sessions.ts';
import { duePages } from './due-index.ts';
import type { Dynamo, ItemKey } from './dynamo.ts';
import { toView } from './head.ts';
import { livingHead } from './heads.ts';
import { dueShards } from './layout.ts';
import { merged } from './merged.ts';

/** Keys of one page, as many as a BatchGetItem takes. */
const PAGE = 100;
/** Partitions that are read at once. */
const AT_ONCE = 8;

/** See `SessionStore.overdue`. Partitions take turns, so that a long one does not hold up the others. */
export const readOverdue = (dynamo: Dynamo, now: number, ahead: number): AsyncGenerator<readonly Sleeper[]> =>
  merged(
    dueShards.map((shard) => readShard(dynamo, shard, now, ahead)),
    AT_ONCE,
  );

async function* readShard(
  dynamo: Dynamo,
  shard: string,
  now: number,
  ahead: number,
): AsyncGenerator<readonly Sleeper[]> {
  for await (const { items } of duePages(dynamo, shard, now + ahead, PAGE)) {
    const keys = items.map(({ pk, sk }) => ({ pk, sk }));
    const sleepers = await readSleepers(dynamo, keys, now, ahead);
    if (sleepers.length > 0) yield sleepers;
  }
}

/** The index lags a little, and knows no leases: HEAD decides. */
async function readSleepers(
  dynamo: Dynamo,
  keys: readonly ItemKey[],
  now: number,
  ahead: number,
): Promise<Sleeper[]> {
  const heads = new Map((await dynamo.getAll(keys)).map((head) => [head.pk, livingHead(head)]));
  return keys.flatMap(({ pk }) => {
    const head = heads.get(pk);
    const { sweepAt = Infinity, leaseUntil = 0 } = head ?? {};
    return head && sweepAt <= now + ahead && leaseUntil <= now ? [{ ...toView(head), sweepAt }] : [];
  });
}
