/** Owners that die while they make a context smaller, or pack what is committed. */

import type { Head } from '../../../shared/memory/head.ts';
import type { Claim } from '../ledger.ts';
import type { Order } from '../network.ts';
import { counter, type Hunt, type Means } from './hunt.ts';

/** More than others: a session folds and packs many times. */
const STRIKES = 6;

const isTaken = (claim: Claim) => (head: Head) => head.epoch > claim.epoch;

/** One who dies around a write, or whose write lands when another one has the session, or the write is slow. */
function blow({ random, until }: Means, claim: Claim): Order {
  switch (random.pick(['before', 'after', 'late', 'slow'])) {
    case 'before':
      return { kind: 'die', when: 'before' };
    case 'after':
      return { kind: 'die', when: 'after' };
    case 'late':
      return { kind: 'hold', until: until(claim.pk, isTaken(claim)), dies: true };
    default:
      return { kind: 'delay', ms: random.scale(100, 4_000) };
  }
}

/** Around each write of a fold. At times somebody stops the run in the middle of it. */
export function foldEnd(means: Means): Hunt {
  const { random, cancelIn } = means;
  const mayStrike = counter(STRIKES);
  const folding = new Set<Claim>();
  return {
    orderFor({ operation, claim }) {
      if (operation === 'putSlot fold') folding.add(claim);
      if (!folding.has(claim) || (operation !== 'putSlot fold' && operation !== 'commit')) return undefined;
      if (!random.chance(0.6) || !mayStrike(claim.pk)) return undefined;
      if (random.chance(0.2)) cancelIn(random.scale(1, 4_000), claim.key);
      return blow(means, claim);
    },
  };
}

/** Somebody stops the run while a model sums up. */
export function foldStop({ random, cancelIn }: Means): Hunt {
  const mayStrike = counter();
  return {
    asked({ pk, key }, summary) {
      if (summary && random.chance(0.7) && mayStrike(pk)) cancelIn(random.scale(1, 3_000), key);
    },
  };
}

/** Owners die with a reply in their hands: when the next one comes, more has been said, and it may have to fold first. */
export function lostAsk({ random }: Means): Hunt {
  const mayStrike = counter(STRIKES);
  return {
    orderFor: ({ operation, claim }) =>
      operation === 'putSlot model' && random.chance(0.5) && mayStrike(claim.pk)
        ? { kind: 'die', when: 'before' }
        : undefined,
  };
}

/** Around the put of a pack, and the commit that tells of it. */
export function packEnd(means: Means): Hunt {
  const { random } = means;
  const mayStrike = counter(STRIKES);
  const packing = new Set<Claim>();
  return {
    orderFor({ operation, claim }) {
      if (operation === 'sessions.putPack') packing.add(claim);
      if (!packing.has(claim) || (operation !== 'sessions.putPack' && operation !== 'commit'))
        return undefined;
      if (!random.chance(0.6) || !mayStrike(claim.pk)) return undefined;
      return operation === 'sessions.putPack' && random.chance(0.2) ? { kind: 'refuse' } : blow(means, claim);
    },
  };
}
