/**
 * Random numbers from one seed: xoshiro128**, seeded by splitmix32. The simulator has no other source of randomness.
 */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** An integer in [0, n). */
  below(n: number): number;
  /** An integer in [from, to]. */
  between(from: number, to: number): number;
  /** True with this probability. */
  chance(p: number): boolean;
  /** One item of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
  /** From `from` to `to`, small values as likely as large ones (log-uniform). */
  scale(from: number, to: number): number;
}

export function createRandom(seed: number): Random {
  let mix = seed >>> 0;
  const split = (): number => {
    mix = (mix + 0x9e3779b9) | 0;
    let z = Math.imul(mix ^ (mix >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
  let a = split();
  let b = split();
  let c = split();
  let d = split();

  const bits = (): number => {
    const scrambled = Math.imul(b, 5);
    const result = Math.imul((scrambled << 7) | (scrambled >>> 25), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return result;
  };
  const next = () => bits() / 4294967296;

  return {
    next,
    below: (n) => Math.floor(next() * n),
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (p) => p > 0 && next() < p,
    pick(list) {
      const picked = list[Math.floor(next() * list.length)];
      if (picked === undefined) throw new Error('nothing to pick from');
      return picked;
    },
    scale: (from, to) => from * (to / from) ** next(),
  };
}
