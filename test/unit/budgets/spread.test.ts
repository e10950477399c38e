import { describe, expect, test } from 'vitest';
import { numbersOf, spread, TRIES } from '../../../shared/aws/spread.ts';

/** Numbers in [0, 1) that are the same in each run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The fill of every item of a small spread, all of which are read. */
const sharesOf = (max: number) => spread(max, 100).choices(seeded(1));

/** The holders in each item; takes a slot as the limits do. */
function filling(max: number, random: () => number) {
  const items = spread(max, 100);
  const counts = new Map<number, number>();
  const inside: number[] = [];
  let asked = 0;
  return {
    get inside() {
      return inside.length;
    },
    get asked() {
      return asked;
    },
    enter(): boolean {
      for (const share of items.choices(random)) {
        asked += 1;
        const count = counts.get(share.n) ?? 0;
        if (count >= share.max) continue;
        counts.set(share.n, count + 1);
        inside.push(share.n);
        return true;
      }
      return false;
    },
    leave(): void {
      const i = Math.floor(random() * inside.length);
      const n = inside[i] ?? 0;
      inside[i] = inside.at(-1) ?? 0;
      inside.pop();
      counts.set(n, (counts.get(n) ?? 0) - 1);
    },
  };
}

describe('a limit that is spread over items', () => {
  test.each([1, 10, 100])('is one item of %i if that is enough', (max) => {
    expect(sharesOf(max)).toEqual([{ n: 0, max }]);
  });

  test.each([101, 250, 799, 800])('of %i is divided completely and evenly', (max) => {
    const shares = sharesOf(max).map((share) => share.max);
    expect(shares.reduce((sum, share) => sum + share)).toBe(max);
    expect(Math.max(...shares)).toBeLessThanOrEqual(100);
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    expect(new Set(sharesOf(max).map(({ n }) => n)).size).toBe(Math.ceil(max / 100));
  });

  test('uses different items, and the same ones for a name', () => {
    const million = spread(1_000_000, 100);
    const items = (name: string) => million.choices(numbersOf(name)).map(({ n }) => n);
    expect(items('s1')).toEqual(items('s1'));
    expect(items('s1')).not.toEqual(items('s2'));
    expect(new Set(items('s1')).size).toBe(TRIES);
    // A random source that always returns the same.
    expect(new Set(million.choices(() => 0.999_999).map(({ n }) => n)).size).toBe(TRIES);
  });

  test('spreads names over all items', () => {
    const counts = new Array<number>(100).fill(0);
    for (let i = 0; i < 10_000; i++) {
      const [first] = spread(10_000, 100).choices(numbersOf(`session-${i}`));
      if (first) counts[first.n] = (counts[first.n] ?? 0) + 1;
    }
    // 100 each on average: a deviation of more than 5 standard deviations would not be chance.
    expect(Math.min(...counts)).toBeGreaterThan(50);
    expect(Math.max(...counts)).toBeLessThan(150);
  });

  test.each([250, 800])('of %i refuses when all are taken, and no sooner', (max) => {
    const filled = filling(max, seeded(2));
    for (let i = 0; i < max; i++) expect(filled.enter()).toBe(true);
    expect(filled.enter()).toBe(false);
  });

  // These figures are in docs/adr/0023-spread-limits.md and docs/identity.md.
  test.each([900, 10_000, 100_000])(
    'of %i refuses no request below nine tenths of it, and few a little later',
    (max) => {
      const filled = filling(max, seeded(3));
      while (filled.inside < max * 0.9) expect(filled.enter()).toBe(true);
      while (filled.inside < max * 0.945) filled.enter();
      let [tries, refused] = [0, 0];
      for (; filled.inside < max * 0.955; tries += 1) if (!filled.enter()) refused += 1;
      expect(refused / tries).toBeLessThan(1 / 100);
    },
  );

  test.each([
    { at: 0.97, within: 1 / 10_000, asks: 1.4 },
    { at: 0.99, within: 1 / 200, asks: 2.1 },
  ])('of sessions that come and go refuses few at $at of it, and reads few items', ({ at, within, asks }) => {
    const max = 10_000;
    const filled = filling(max, seeded(3));
    while (filled.inside < max * at) filled.enter();
    const change = () => {
      filled.leave();
      let refused = 0;
      while (!filled.enter()) refused += 1;
      return refused;
    };
    for (let i = 0; i < 2 * max; i++) change();
    const before = filled.asked;
    let refused = 0;
    for (let i = 0; i < 2 * max; i++) refused += change();
    expect(refused / (2 * max + refused)).toBeLessThan(within);
    expect((filled.asked - before) / (2 * max)).toBeLessThan(asks);
  });
});
