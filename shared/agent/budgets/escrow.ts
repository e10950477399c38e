/**
 * How a tenant's day is divided, as data. The day's limit is not one counter that every step writes: it is handed out in
 * chunks to a few shards, and a reservation changes its session's shard alone.
 *
 * Two items never change together, so what moves between them is told in running accounts: the root says how much it
 * has ever granted to each shard, a shard how much of that it has taken over; and the other way about for what is given
 * back. Whoever sees the two differ moves the difference, once: the account's number is the condition of the write. What
 * stands at any moment, a crash in between included:
 *
 * 1. granted − returned, over all shards as the root knows them ≤ limit
 * 2. what a shard has left + what it holds + what it has spent ≤ granted − returned
 *
 * so spent + reserved ≤ limit, whatever is lost, late or done twice.
 */

import { type Amount, amountOf, dimensions, minus, nothing, plus, shortOf } from './amount.ts';

/** Shards of a tenant's day: so many items share its writes. Each takes about 1,000 a second (DynamoDB). */
export const SHARDS = 8;
/** Chunks of a day's limit: a shard that is short draws one, or what it needs if that is more. */
const CHUNKS = 64;

/** A running account of all that went from one item to another. */
export interface Account {
  /** Movements so far. */
  readonly no: number;
  readonly total: Amount;
}

/** What went between the root and one shard, as one of the two knows it. */
export interface Accounts {
  readonly granted: Account;
  readonly returned: Account;
}

/** One holder of chunks. */
export interface Shard extends Accounts {
  /** Granted, and not reserved, spent or returned. Below zero where calls cost more than was reserved for them. */
  readonly left: Amount;
}

/** Of each day one: what its shards were given. */
export interface Root {
  /** Goes up with each change. */
  readonly rev: number;
  readonly shards: Readonly<Record<string, Accounts>>;
}

const empty: Account = { no: 0, total: nothing };
const newAccounts: Accounts = { granted: empty, returned: empty };
export const newShard: Shard = { ...newAccounts, left: nothing };
export const newRoot: Root = { rev: 0, shards: {} };

export const accountsOf = (root: Root, n: number): Accounts => root.shards[n] ?? newAccounts;

/** What may still be granted of each limit; without a limit (0), anything. Below zero after a limit was lowered. */
export function freeOf(root: Root, limits: Amount): Amount {
  const out = Object.values(root.shards)
    .map(({ granted, returned }) => minus(granted.total, returned.total))
    .reduce(plus, nothing);
  return amountOf((d) => (limits[d] > 0 ? limits[d] - out[d] : Number.POSITIVE_INFINITY));
}

/** A chunk for a shard that is short of `need`, as far as it is free: near the limit less than a chunk. */
export const chunkFor = (need: Amount, free: Amount, limits: Amount): Amount =>
  amountOf((d) => {
    if (need[d] === 0) return 0;
    const chunk = limits[d] > 0 ? Math.ceil(limits[d] / CHUNKS) : need[d] * CHUNKS;
    return Math.min(Math.max(need[d], chunk), free[d]);
  });

/** The first dimension in which `need` is more than is free. */
export const missingOf = (need: Amount, free: Amount) =>
  dimensions.find((d) => need[d] > Math.max(0, free[d]));

/** The root after it granted `amount` to shard `n`. */
export function grant(root: Root, n: number, amount: Amount): Root {
  const { granted, returned } = accountsOf(root, n);
  const next = { no: granted.no + 1, total: plus(granted.total, amount) };
  return { rev: root.rev + 1, shards: { ...root.shards, [n]: { granted: next, returned } } };
}

/** The root after it took over what shard `n` has returned. */
export function collect(root: Root, n: number, { returned }: Shard): Root {
  const { granted } = accountsOf(root, n);
  return { rev: root.rev + 1, shards: { ...root.shards, [n]: { granted, returned } } };
}

/** The shard after it took over what the root has granted it. */
export const receive = (shard: Shard, { granted }: Accounts): Shard => ({
  ...shard,
  granted,
  left: plus(shard.left, minus(granted.total, shard.granted.total)),
});

/** The shard after it gave `amount` back. */
export const giveBack = (shard: Shard, amount: Amount): Shard => ({
  ...shard,
  returned: { no: shard.returned.no + 1, total: plus(shard.returned.total, amount) },
  left: minus(shard.left, amount),
});

/** What a shard can give of what is wanted. */
export const spareOf = ({ left }: Shard, wanted: Amount): Amount =>
  minus(
    wanted,
    shortOf(
      wanted,
      amountOf((d) => Math.max(0, left[d])),
    ),
  );
