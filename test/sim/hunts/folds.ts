/** Owners that die while they make a context smaller, or pack committed slots. */

import type { Head } from '../../../shared/memory/head.ts';
import type { Claim } from '../ledger.ts';
import type { Order } from '../network.ts';
import { counter, type Hunt, type Means } from './hunt.ts';

/** More than in other hunts, since a session folds and packs many times. */
const STRIKES = 6;

const isTaken = (claim: Claim) => (head: Head) => head.epoch > claim.epoch;

/** An owner that dies around a write, or whose write is slow or lands when another owner has the session. */
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

/** Strikes around each write of a fold. Sometimes the run is stopped in the middle of it. */
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

/** Stops the run while a model makes a summary. */
export function foldStop({ random, cancelIn }: Means): Hunt {
  const mayStrike = counter();
  return {
    asked({ pk, key }, summary) {
      if (summary && random.chance(0.7) && mayStrike(pk)) cancelIn(random.scale(1, 3_000), key);
    },
  };
}

/**
 * Owners die with a reply in hand. By the time of the next owner there are more messages, and it may have to fold
 * first.
 */
export function lostAsk({ random }: Means): Hunt {
  const mayStrike = counter(STRIKES);
  return {
    orderFor: ({ operation, claim }) =>
      operation === 'putSlot model' && random.chance(0.5) && mayStrike(claim.pk)
        ? { kind: 'die', when: 'before' }
        : undefined,
  };
}

/** Strikes around the put of a pack, and the commit that announces it. */
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
