/** Owners that die, freeze or are slow. */

import type { Head } from '../../../shared/memory/head.ts';
import type { Claim } from '../ledger.ts';
import { counter, type Hunt, type Means } from './hunt.ts';

/** Whether this epoch has committed, or a later one has claimed. */
const isOver = (claim: Claim) => (head: Head) => head.epoch > claim.epoch || head.owner === undefined;

/** A fence is sent twice, and the first request lands after the commit, before the next claim. */
export function lateFence({ random, until }: Means): Hunt {
  const fenced = new Set<Claim>();
  return {
    orderFor({ operation, claim }) {
      if (operation === 'fence' && random.chance(0.7)) {
        fenced.add(claim);
        return { kind: 'hold', until: until(claim.pk, isOver(claim)), dies: false };
      }
      return operation === 'commit' && fenced.has(claim) ? { kind: 'die', when: 'after' } : undefined;
    },
  };
}

/** An owner freezes until another one has its session, and continues while that one is still busy. */
export function zombie({ random, leaseMs }: Means): Hunt {
  const mayStrike = counter();
  const where = random.pick(['watch', 'putSlot model', 'putSlot tools', 'putResult', 'log.append', 'commit']);
  const heirDies = random.chance(0.3);
  const deafTo = random.pick(['watch', 'extend', 'none']);
  const zombies = new Map<string, Claim>();
  return {
    orderFor({ operation, claim }) {
      const dead = zombies.get(claim.pk);
      if (claim === dead) return operation === deafTo ? { kind: 'refuse' } : undefined;
      if (dead && claim.epoch === dead.epoch + 1) {
        // The successor is slow, or dies with its reply.
        if (heirDies && operation === 'putSlot model') return { kind: 'die', when: 'before' };
        const slow = operation === 'putSlot model' || operation === 'putSlot tools' || operation === 'commit';
        return slow && random.chance(0.5) ? { kind: 'delay', ms: random.scale(500, 20_000) } : undefined;
      }
      if (operation !== where || !random.chance(0.5) || !mayStrike(claim.pk)) return undefined;
      zombies.set(claim.pk, claim);
      return { kind: 'freeze', ms: leaseMs + 2_000 + random.scale(500, 20_000) };
    },
  };
}

/** An owner dies between its commit and its announcement. */
export function silentEnd({ random }: Means): Hunt {
  const mayStrike = counter();
  return {
    orderFor: ({ operation, claim }) =>
      operation === 'commit' && random.chance(0.4) && mayStrike(claim.pk)
        ? { kind: 'die', when: 'after' }
        : undefined,
  };
}

/** Owners die after running a batch, or a part of it, before they could report its outcome. */
export function halfDone({ random }: Means): Hunt {
  const mayStrike = counter();
  return {
    orderFor: ({ operation, claim }) =>
      (operation === 'putSlot tools' || operation === 'commit') && random.chance(0.6) && mayStrike(claim.pk)
        ? { kind: 'die', when: 'before' }
        : undefined,
  };
}

/**
 * An owner dies between its commit and its announcement. Its message comes back while a step that was woken for nothing
 * gives the session back. The lease settles that message, so no message is left that would lead to an announcement.
 */
export function unheard({ random, redeliverIn }: Means): Hunt {
  const mayStrike = counter();
  const claimedBy = new Map<string, string>();
  const silent = new Map<string, string>();
  return {
    claimOrder({ pk, messageId }) {
      claimedBy.set(pk, messageId);
      return undefined;
    },
    // An event is recorded on HEAD when its run is over, and wakes a step for nothing.
    gapMs: () => (random.chance(0.6) ? random.scale(500, 40_000) : undefined),
    orderFor({ operation, claim, head }) {
      if (operation !== 'commit') return undefined;
      const messageId = silent.get(claim.pk);
      if (messageId && claim.head.session.run?.ended) {
        silent.delete(claim.pk);
        redeliverIn(random.between(1, 200), messageId);
        return { kind: 'delay', ms: random.between(300, 3_000) };
      }
      const own = claimedBy.get(claim.pk);
      if (!own || head.epoch !== claim.epoch || !random.chance(0.5) || !mayStrike(claim.pk)) return undefined;
      silent.set(claim.pk, own);
      return { kind: 'die', when: 'after' };
    },
  };
}

/**
 * All claimants die, and the message comes again until it is a dead letter. The last claimant only freezes, and
 * continues shortly before the revived message arrives. It then holds the session with a message that is gone.
 */
export function deadClaim({ random, leaseMs, redeliverIn }: Means): Hunt {
  const tried = new Map<string, number>();
  return {
    claimOrder({ messageId }) {
      const times = (tried.get(messageId) ?? 0) + 1;
      tried.set(messageId, times);
      // Five receives (`queue.ts`). A revived message is left alone.
      if (tried.size > 2 || times > 5) return undefined;
      redeliverIn(random.scale(10, 2_000), messageId);
      if (times < 5) return { kind: 'die', when: 'before' };
      return { kind: 'freeze', ms: leaseMs + random.between(10_000, 22_000) };
    },
  };
}

/**
 * An owner freezes right after HEAD has allowed its calls to start, for less than its lease, and the run is stopped
 * meanwhile.
 */
export function standsStill({ random, cancelIn }: Means): Hunt {
  const mayStrike = counter();
  const where = random.pick(['fence', 'watch']);
  return {
    orderFor({ operation, claim }) {
      if (operation !== where || !random.chance(0.5) || !mayStrike(claim.pk)) return undefined;
      cancelIn(random.between(100, 4_000), claim.key);
      return { kind: 'freeze', when: 'after', ms: random.between(6_000, 15_000) };
    },
  };
}

/** Stops the run while its tools run. */
export function stop({ random, cancelIn }: Means): Hunt {
  const mayStrike = counter();
  const where = random.pick(['fence', 'putSlot model', 'putResult']);
  return {
    orderFor({ operation, claim }) {
      if (operation === where && random.chance(0.5) && mayStrike(claim.pk))
        cancelIn(random.scale(1, 3_000), claim.key);
      return undefined;
    },
  };
}
