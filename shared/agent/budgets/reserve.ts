import { hash } from '../plain/hash.ts';
import { type Amount, type Dimension, isNothing, nothing, shortOf } from './amount.ts';
import {
  accountsOf,
  chunkFor,
  collect,
  freeOf,
  giveBack,
  grant,
  missingOf,
  type Root,
  receive,
  SHARDS,
  type Shard,
  spareOf,
} from './escrow.ts';
import type { BudgetDay, BudgetStore, Hold } from './store.ts';

/** Tries of a reservation. Each fails only because another one has moved something meanwhile. */
const MAX_TRIES = 100;

export type Held =
  | { readonly kind: 'held' }
  | { readonly kind: 'superseded' }
  | { readonly kind: 'exceeded'; readonly dimension: Dimension };

/**
 * Reserves on the session's shard: one write, as long as the shard has enough. One that is short draws a chunk from the
 * root; when the root has not enough either, it is first given back what other shards have left. Refused is only who
 * found less than it needs in all of them together, so never while that much is left, but for what others gave back
 * while it looked.
 */
export async function reserve(
  store: BudgetStore,
  day: BudgetDay,
  limitsOf: () => Promise<Amount>,
  hold: Hold,
): Promise<Held> {
  const n = shardOf(hold.sessionId);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const result = await store.hold(day, n, hold);
    if (result.kind !== 'short') return result;
    const need = shortOf(hold.amount, result.shard.left);
    const missing = await draw(store, day, n, result.shard, need, await limitsOf());
    if (missing) return { kind: 'exceeded', dimension: missing };
  }
  throw new Error(`the budget of ${day.tenant} is written by too many at once`);
}

/** The shard of a session: always the same one. */
export const shardOf = (sessionId: string): number => Number.parseInt(hash(sessionId, 8), 16) % SHARDS;

/** Tries once to bring shard `n` what it needs. Answers what is certainly missing; nothing when it is worth another try. */
async function draw(
  store: BudgetStore,
  day: BudgetDay,
  n: number,
  shard: Shard,
  need: Amount,
  limits: Amount,
): Promise<Dimension | undefined> {
  const root = await store.root(day);
  if (isBehind(shard, root, n)) {
    await store.move(day, n, shard, receive(shard, accountsOf(root, n)));
    return undefined;
  }
  const missing = missingOf(need, freeOf(root, limits));
  if (missing) {
    const moved = await gather(store, day, n, root, need, limits);
    // Between shards everything moves by the root: when that has not changed, all was seen where it lay.
    return moved || (await store.root(day)).rev !== root.rev ? undefined : missing;
  }
  const granted = await store.putRoot(day, grant(root, n, chunkFor(need, freeOf(root, limits), limits)));
  if (isBehind(shard, granted, n)) await store.move(day, n, shard, receive(shard, accountsOf(granted, n)));
  return undefined;
}

/**
 * Brings what other shards have left back to the root, until enough is free for `need`, and what a crash left on its
 * way. Answers whether anything moved.
 */
async function gather(
  store: BudgetStore,
  day: BudgetDay,
  n: number,
  from: Root,
  need: Amount,
  limits: Amount,
): Promise<boolean> {
  const granted = Object.keys(from.shards).map(Number);
  const shards = await Promise.all(granted.map(async (t) => ({ t, seen: await store.shard(day, t) })));
  let root = from;
  let moved = false;
  for (const { t, seen } of shards) {
    const wanted = shortOf(need, freeOf(root, limits));
    if (isNothing(wanted)) return moved;
    const shard = isBehind(seen, root, t)
      ? await store.move(day, t, seen, receive(seen, accountsOf(root, t)))
      : seen;
    const told = shard.returned.no > accountsOf(root, t).returned.no;
    const spare = t === n || told ? nothing : spareOf(shard, wanted);
    const given = isNothing(spare) ? shard : await store.move(day, t, shard, giveBack(shard, spare));
    if (given.returned.no > accountsOf(root, t).returned.no)
      root = await store.putRoot(day, collect(root, t, given));
    moved ||= shard !== seen || given !== shard || root !== from;
  }
  return moved;
}

/** Whether the root has granted the shard what it has not taken over. */
const isBehind = (shard: Shard, root: Root, n: number): boolean =>
  shard.granted.no < accountsOf(root, n).granted.no;
