/** Owners that die, stand still or are slow. */

import type { Head } from '../../../shared/memory/head.ts';
import type { Claim } from '../ledger.ts';
import { counter, type Hunt, type Means } from './hunt.ts';

/** HEAD after this epoch has committed, or a later one has claimed. */
const isOver = (claim: Claim) => (head: Head) => head.epoch > claim.epoch || head.owner === undefined;

/** A fence is sent twice, and the first one lands after the commit, before the next claim. */
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

/** An owner stands still until another one has its session, and goes on while that one is still busy. */
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
        // The successor takes its time, or dies with its reply.
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

/** An owner dies between its commit and telling of it. */
export function silentEnd({ random }: Means): Hunt {
  const mayStrike = counter();
  return {
    orderFor: ({ operation, claim }) =>
      operation === 'commit' && random.chance(0.4) && mayStrike(claim.pk)
        ? { kind: 'die', when: 'after' }
        : undefined,
  };
}

/** Owners die with a batch that they have run, or a part of it, and of which they could not say what came. */
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
 * An owner dies between its commit and telling of it, and its message comes back while somebody gives the session back who
 * was woken for nothing: that message is settled by the lease, and nobody is left who would tell.
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
    // An event is noted on HEAD when its run is over, and wakes somebody for nothing.
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
 * All who would claim die, and the message comes again, until it is a dead letter. The last one only stands still, and
 * goes on shortly before the revived message comes: it then holds the session with a message that is gone.
 */
export function deadClaim({ random, leaseMs, redeliverIn }: Means): Hunt {
  const tried = new Map<string, number>();
  return {
    claimOrder({ messageId }) {
      const times = (tried.get(messageId) ?? 0) + 1;
      tried.set(messageId, times);
      // Five receives (`queue.ts`); what has been revived is left alone.
      if (tried.size > 2 || times > 5) return undefined;
      redeliverIn(random.scale(10, 2_000), messageId);
      if (times < 5) return { kind: 'die', when: 'before' };
      return { kind: 'freeze', ms: leaseMs + random.between(10_000, 22_000) };
    },
  };
}

/** An owner stands still right after HEAD has said that its calls may start, for less than its lease, and the run is stopped meanwhile. */
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

/** Somebody stops the run while its tools run. */
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
