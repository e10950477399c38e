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

/** Tries of a reservation. Each one fails only because another reservation moved something meanwhile. */
const MAX_TRIES = 100;

export type Held =
  | { readonly kind: 'held' }
  | { readonly kind: 'superseded' }
  | { readonly kind: 'exceeded'; readonly dimension: Dimension };

/**
 * Reserves on the session's shard: one write, as long as the shard has enough. A shard that is short draws a chunk from the root.
 * If the root does not have enough either, other shards first return what they have left. A reservation is refused only if all of
 * them together had less than it needs. So it is never refused while that much is left, except for what others returned during
 * the search.
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

/** Tries once to bring shard `n` what it needs. Returns what is certainly missing, or undefined if another try is worthwhile. */
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
    // Everything moves between shards through the root. If the root has not changed, the search saw everything.
    return moved || (await store.root(day)).rev !== root.rev ? undefined : missing;
  }
  const granted = await store.putRoot(day, grant(root, n, chunkFor(need, freeOf(root, limits), limits)));
  if (isBehind(shard, granted, n)) await store.move(day, n, shard, receive(shard, accountsOf(granted, n)));
  return undefined;
}

/**
 * Returns what other shards have left to the root until enough is free for `need`, and finishes moves that a crash interrupted.
 * Returns whether anything moved.
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

/** Whether the root has granted the shard something that it has not taken over. */
const isBehind = (shard: Shard, root: Root, n: number): boolean =>
  shard.granted.no < accountsOf(root, n).granted.no;
