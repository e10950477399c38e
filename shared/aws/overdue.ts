/** The sessions that are due, from all partitions of their index. The sweeper loads it. */

import type { Sleeper } from '../agent/ports/sessions.ts';
import { tableLayout } from '../contract/env.ts';
import type { Dynamo, ItemKey } from './dynamo.ts';
import { toView } from './head.ts';
import { livingHead } from './heads.ts';
import { dueShards } from './layout.ts';

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
  const { index, partitionKey, sortKey } = tableLayout.due;
  const pages = dynamo.index({
    name: index,
    partition: { name: partitionKey, value: shard },
    sort: { name: sortKey, min: 0, max: now + ahead },
    pageSize: PAGE,
  });
  for await (const { items } of pages) {
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

/**
 * Pages of all sources as they arrive. The sources take turns, `atOnce` of them at once. A source that fails is over;
 * its error is thrown at the end.
 */
async function* merged<T>(sources: readonly AsyncGenerator<T>[], atOnce: number): AsyncGenerator<T> {
  const waiting = [...sources];
  const failures: unknown[] = [];
  const end: IteratorReturnResult<undefined> = { done: true, value: undefined };
  const ask = async (source: AsyncGenerator<T>) => {
    const failed = (error: unknown) => {
      failures.push(error);
      return end;
    };
    return { source, result: await source.next().catch(failed) };
  };
  const asked = new Map<AsyncGenerator<T>, ReturnType<typeof ask>>();
  try {
    while (waiting.length > 0 || asked.size > 0) {
      for (const source of waiting.splice(0, atOnce - asked.size)) asked.set(source, ask(source));
      const { source, result } = await Promise.race(asked.values());
      asked.delete(source);
      if (result.done) continue;
      waiting.push(source);
      yield result.value;
    }
  } finally {
    // No read outlives the caller.
    await Promise.all(asked.values());
  }
  if (failures.length > 0) throw failures[0];
}
