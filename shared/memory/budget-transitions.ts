/**
 * The effect of each operation on a shard of a budget, as data. The conditions are those of `shared/aws/budgets.ts`,
 * clause by clause.
 */

import { type Amount, dimensions, minus, plus } from '../agent/budgets/amount.ts';
import type { Shard } from '../agent/budgets/escrow.ts';
import type { Hold, HoldResult } from '../agent/budgets/store.ts';
import { own } from '../agent/plain/merge.ts';

export interface ShardItem {
  readonly shard: Shard;
  /** By session. */
  readonly holds: Readonly<Record<string, Omit<Hold, 'sessionId'>>>;
}

/** If `item` is absent, nothing is written: the condition did not hold. */
export interface Change<Answer> {
  readonly item?: ShardItem;
  readonly answer: Answer;
}

export function move(item: ShardItem, seen: Shard, next: Shard): Change<Shard> {
  const { shard, holds } = item;
  const accountsStand = shard.granted.no === seen.granted.no && shard.returned.no === seen.returned.no;
  const change = minus(next.left, seen.left);
  const left = plus(shard.left, change);
  const enough = dimensions.every((d) => change[d] >= 0 || left[d] >= 0);
  if (!accountsStand || !enough) return { answer: shard };
  const moved = { left, granted: next.granted, returned: next.returned };
  return { item: { shard: moved, holds }, answer: moved };
}

export function hold(item: ShardItem, { sessionId, epoch, amount }: Hold): Change<HoldResult> {
  const { shard, holds } = item;
  const before = own(holds, sessionId);
  const enough = dimensions.every((d) => shard.left[d] >= amount[d]);
  const isFirst = before === undefined || before.epoch < epoch;
  if (enough && isFirst) {
    const held = {
      shard: { ...shard, left: minus(shard.left, amount) },
      holds: { ...holds, [sessionId]: { epoch, amount } },
    };
    return { item: held, answer: { kind: 'held' } };
  }
  return {
    answer:
      before && !isFirst
        ? { kind: before.epoch === epoch ? 'held' : 'superseded' }
        : { kind: 'short', shard },
  };
}

export function settle(item: ShardItem, { sessionId, epoch, amount }: Hold, actual: Amount): Change<void> {
  const { shard, holds } = item;
  if (own(holds, sessionId)?.epoch !== epoch) return { answer: undefined };
  const { [sessionId]: _settled, ...others } = holds;
  const left = plus(shard.left, minus(amount, actual));
  return { item: { shard: { ...shard, left }, holds: others }, answer: undefined };
}
