import type { Amount } from '../agent/budgets/amount.ts';
import { newRoot, newShard, type Root, type Shard } from '../agent/budgets/escrow.ts';
import type { BudgetDay, BudgetStore } from '../agent/budgets/store.ts';
import { own } from '../agent/plain/merge.ts';
import * as transitions from './budget-transitions.ts';
import { copy } from './copy.ts';

/** Budgets in memory. Each operation is one synchronous critical section. */
export function createBudgets(limits: Readonly<Record<string, Partial<Amount>>> = {}): BudgetStore {
  const roots = new Map<string, Root>();
  const shards = new Map<string, transitions.ShardItem>();
  const idOf = ({ tenant, day }: BudgetDay, n?: number) =>
    `${tenant}#budget#${day}${n === undefined ? '' : `#${n}`}`;
  const itemOf = (day: BudgetDay, n: number) => shards.get(idOf(day, n)) ?? { shard: newShard, holds: {} };

  /** Carries out a transition of one shard, and returns its answer. */
  const apply = <Answer>(day: BudgetDay, n: number, { item, answer }: transitions.Change<Answer>): Answer => {
    if (item) shards.set(idOf(day, n), copy(item));
    return copy(answer);
  };

  return {
    limits: async (tenant) => own(limits, tenant) ?? {},
    root: async (day) => copy(roots.get(idOf(day)) ?? newRoot),
    async putRoot(day, next) {
      const root = roots.get(idOf(day)) ?? newRoot;
      if (root.rev !== next.rev - 1) return copy(root);
      roots.set(idOf(day), copy(next));
      return copy(next);
    },
    shard: async (day, n) => copy<Shard>(itemOf(day, n).shard),
    move: async (day, n, seen, next) => apply(day, n, transitions.move(itemOf(day, n), seen, next)),
    hold: async (day, n, hold) => apply(day, n, transitions.hold(itemOf(day, n), hold)),
    settle: async (day, n, hold, actual) => apply(day, n, transitions.settle(itemOf(day, n), hold, actual)),
  };
}
