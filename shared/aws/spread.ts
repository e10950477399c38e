/**
 * Counts that are kept in several items, so that no item is written in proportion to all traffic. Each item has a share
 * of the limit, so all together never exceed it. A caller that counts asks a few items, in an order of its own. It is
 * refused when all of those are full, which may happen a little before all items are (docs/adr/0023-spread-limits.md
 * has the figures).
 */

import { hash } from '../agent/plain/hash.ts';

/** One of the items, and how much it may hold. */
export interface Share {
  /** From 0. The first is the item that held everything when there was one. */
  readonly n: number;
  readonly max: number;
}

/**
 * Items that are asked before a caller is refused. If there are this many items or fewer, all are asked, and callers
 * are refused only when all are full. With more items, fewer than one in 10,000 callers that come and go are refused at
 * 97 % of the limit with eight tries, and one in 400 with four. Each try costs a write of a caller that is refused.
 */
export const TRIES = 8;

/** Items that count up to `max` together, and not much more than `perItem` each. */
export function spread(max: number, perItem: number) {
  const items = Math.max(1, Math.ceil(max / perItem));
  const shareOf = (n: number): Share => ({
    n,
    max: Math.floor(max / items) + (n < max % items ? 1 : 0),
  });
  return {
    /** The items to ask, in their order. @param random numbers in [0, 1) */
    choices(random: () => number): readonly Share[] {
      if (items === 1) return [shareOf(0)];
      const chosen = new Set<number>();
      while (chosen.size < Math.min(TRIES, items)) {
        let n = Math.floor(random() * items);
        while (chosen.has(n)) n = (n + 1) % items;
        chosen.add(n);
      }
      return [...chosen].map(shareOf);
    },
  };
}

const HEX = 8;

/** {@link TRIES} numbers in [0, 1), always the same for a name. */
export function numbersOf(name: string): () => number {
  let digits = '';
  let at = 0;
  return () => {
    digits ||= hash(name, TRIES * HEX);
    const number = Number.parseInt(digits.slice(at, at + HEX), 16) / 16 ** HEX;
    at += HEX;
    return number;
  };
}
