import * as z from 'zod';
import { type Amount, amountOf, dimensions, minus, nothing, toMicroUsd } from '../agent/budgets/amount.ts';
import { newRoot, newShard, type Root, type Shard } from '../agent/budgets/escrow.ts';
import type { BudgetStore, Hold, HoldResult } from '../agent/budgets/store.ts';
import { defined } from '../agent/plain/defined.ts';
import { own } from '../agent/plain/merge.ts';
import type { Clock } from '../agent/ports/ports.ts';
import type { TenantLimits } from '../contract/budgets.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { budgetLimitsKey, budgetRootKey, budgetShardKey, lifetime, ttlFrom } from './layout.ts';

export interface BudgetOptions {
  readonly dynamo: Dynamo;
  readonly clock: Pick<Clock, 'now'>;
}

/** A tenant's own limits, as `PUT /budgets` or an operator writes them (docs/budgets.md). */
const OwnLimits = z.strictObject({
  pk: z.string(),
  sk: z.string(),
  tokensPerDay: z.int().min(0).optional(),
  usdPerDay: z.number().min(0).optional(),
  stepsPerDay: z.int().min(0).optional(),
});

/** The tenant's own limits. Rejects when the item is malformed, since operators may write it by hand. */
export async function readOwn(dynamo: Dynamo, tenant: string): Promise<TenantLimits> {
  const item = await dynamo.get(budgetLimitsKey(tenant));
  if (!item) return {};
  const parsed = OwnLimits.safeParse(item);
  if (!parsed.success) throw new Error(`limits of tenant ${tenant}: ${z.prettifyError(parsed.error)}`);
  const { pk: _pk, sk: _sk, ...own } = parsed.data;
  return own;
}

/**
 * Budgets in DynamoDB. A shard keeps its remaining amounts in three numbers, and writes add to them or subtract from
 * them, so sessions that share the shard do not overwrite each other's changes. Every other attribute of an item is
 * written whole.
 */
export function createBudgets({ dynamo, clock }: BudgetOptions): BudgetStore {
  const expires = () => ttlFrom(clock.now(), lifetime.budget);
  return {
    async limits(tenant) {
      const { tokensPerDay: tokens, usdPerDay, stepsPerDay: steps } = await readOwn(dynamo, tenant);
      return {
        ...defined({ tokens }),
        ...(usdPerDay !== undefined && { microUsd: toMicroUsd(usdPerDay) }),
        ...defined({ steps }),
      };
    },

    root: async (day) => toRoot(await dynamo.get(budgetRootKey(day))),

    async putRoot(day, { rev, shards }) {
      const isNew = 'attribute_not_exists(#pk)';
      const standsAsSeen = '#rev = :seen';
      const first = rev === 1;
      const item = { ...budgetRootKey(day), rev, shards, ttl: expires() };
      const written = await dynamo.put(item, [first ? isNew : standsAsSeen], first ? {} : { seen: rev - 1 });
      // When an earlier try was applied and its answer lost, the item already has the values to be written.
      return toRoot(written.item);
    },

    shard: async (day, n) => toShard(await dynamo.get(budgetShardKey(day, n))),

    async move(day, n, seen, next) {
      const change = minus(next.left, seen.left);
      const taken = dimensions.filter((d) => change[d] < 0);
      const isNew = seen.granted.no === 0 && seen.returned.no === 0;
      const stands = '#granted.#no = :granted AND #returned.#no = :returned';
      const written = await dynamo.update({
        key: budgetShardKey(day, n),
        set: [
          ...dimensions.map((d) => `#${d} = if_not_exists(#${d}, :zero) + :${d}`),
          '#granted = :nextGranted',
          '#returned = :nextReturned',
          '#holds = if_not_exists(#holds, :none)',
          '#ttl = :ttl',
        ],
        when: [isNew ? 'attribute_not_exists(#pk)' : stands, ...taken.map((d) => `#${d} >= :least${d}`)],
        values: {
          ...change,
          ...(isNew ? {} : { granted: seen.granted.no, returned: seen.returned.no }),
          ...Object.fromEntries(taken.map((d) => [`least${d}`, -change[d]])),
          nextGranted: next.granted,
          nextReturned: next.returned,
          zero: 0,
          none: {},
          ttl: expires(),
        },
      });
      return toShard(written.item);
    },

    async hold(day, n, hold) {
      const { sessionId, epoch, amount } = hold;
      const enough = dimensions.map((d) => `#${d} >= :${d}`);
      const isFirst = 'attribute_not_exists(#holds.#session) OR #holds.#session.#epoch < :epoch';
      const written = await dynamo.update({
        key: budgetShardKey(day, n),
        set: [...dimensions.map((d) => `#${d} = #${d} - :${d}`), '#holds.#session = :hold'],
        when: [...enough, isFirst],
        values: { ...amount, epoch, hold: { epoch, amount } },
        names: { '#session': sessionId },
      });
      return written.kind === 'written' ? { kind: 'held' } : whyNotHeld(written.item, hold);
    },

    async settle(day, n, { sessionId, epoch, amount }, actual) {
      const isHeld = '#holds.#session.#epoch = :epoch';
      await dynamo.update({
        key: budgetShardKey(day, n),
        set: dimensions.map((d) => `#${d} = #${d} + :${d}`),
        remove: ['#holds.#session'],
        when: [isHeld],
        values: { ...minus(amount, actual), epoch },
        names: { '#session': sessionId },
      });
    },
  };
}

function whyNotHeld(item: Item | undefined, { sessionId, epoch }: Hold): HoldResult {
  const before: { epoch: number } | undefined = own(item?.holds ?? {}, sessionId);
  if (before === undefined || before.epoch < epoch) return { kind: 'short', shard: toShard(item) };
  return { kind: before.epoch === epoch ? 'held' : 'superseded' };
}

const toRoot = (item: Item | undefined): Root => (item ? { rev: item.rev, shards: item.shards } : newRoot);

const toShard = (item: Item | undefined): Shard =>
  item ? { granted: item.granted, returned: item.returned, left: leftIn(item) } : newShard;

const leftIn = (item: Item): Amount => amountOf((d) => item[d] ?? nothing[d]);
