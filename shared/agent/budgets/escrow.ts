/**
 * How a tenant's day is divided, as data. The day's limit is not one counter that every step writes. It is handed out in chunks
 * to a few shards, and a reservation changes only its session's shard.
 *
 * Two items never change in one write, so what moves between them is kept in running accounts: the root says how much it has ever
 * granted to each shard, and the shard says how much of that it has taken over. Returns work the same way in the other direction.
 * A process that sees the two differ moves the difference, once: the account's number is the condition of the write. These hold
 * at any moment, also after a crash in between:
 *
 * 1. granted − returned, over all shards as the root knows them ≤ limit
 * 2. what a shard has left + what it holds + what it has spent ≤ granted − returned
 *
 * so spent + reserved ≤ limit, whatever is lost, late or done twice.
 */

import { type Amount, amountOf, dimensions, minus, nothing, plus, shortOf } from './amount.ts';

/** Shards of a tenant's day: the number of items that share its writes. Each takes about 1,000 a second (DynamoDB). */
export const SHARDS = 8;
/** Chunks of a day's limit. A shard that is short draws one chunk, or as much as it needs if that is more. */
const CHUNKS = 64;

/** A running account of everything that moved from one item to another. */
export interface Account {
  /** Movements so far. */
  readonly no: number;
  readonly total: Amount;
}

/** The amounts moved between the root and one shard, as one of the two knows them. */
export interface Accounts {
  readonly granted: Account;
  readonly returned: Account;
}

/** One holder of chunks. */
export interface Shard extends Accounts {
  /** Granted, and not reserved, spent or returned. Negative when calls cost more than was reserved for them. */
  readonly left: Amount;
}

/** One per day: what its shards were given. */
export interface Root {
  /** Increases with each change. */
  readonly rev: number;
  readonly shards: Readonly<Record<string, Accounts>>;
}

const empty: Account = { no: 0, total: nothing };
const newAccounts: Accounts = { granted: empty, returned: empty };
export const newShard: Shard = { ...newAccounts, left: nothing };
export const newRoot: Root = { rev: 0, shards: {} };

export const accountsOf = (root: Root, n: number): Accounts => root.shards[n] ?? newAccounts;

/** How much of each limit may still be granted; unbounded without a limit (0). Negative after a limit was lowered. */
export function freeOf(root: Root, limits: Amount): Amount {
  const out = Object.values(root.shards)
    .map(({ granted, returned }) => minus(granted.total, returned.total))
    .reduce(plus, nothing);
  return amountOf((d) => (limits[d] > 0 ? limits[d] - out[d] : Number.POSITIVE_INFINITY));
}

/** A chunk for a shard that is short of `need`, as far as it is free. Near the limit it is less than a chunk. */
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

/** The shard after it took over what the root granted it. */
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

/** How much of what is wanted a shard can give. */
export const spareOf = ({ left }: Shard, wanted: Amount): Amount =>
  minus(
    wanted,
    shortOf(
      wanted,
      amountOf((d) => Math.max(0, left[d])),
    ),
  );
