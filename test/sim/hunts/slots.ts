/** Slots and frames that land late. */

import type { Head } from '../../../shared/memory/head.ts';
import type { Claim } from '../ledger.ts';
import { counter, type Hunt, type Means } from './hunt.ts';

/** Whether a later epoch has committed. */
const isCommittedBySuccessor = (claim: Claim) => (head: Head) =>
  head.epoch > claim.epoch && head.owner === undefined;
const isTaken = (claim: Claim) => (head: Head) => head.epoch > claim.epoch;

/** Several owners die in a row. The last log write of each lands when its successor may already have read the log. */
export function lateLogs({ random, until }: Means): Hunt {
  const mayStrike = counter();
  return {
    orderFor({ operation, claim }) {
      if (operation !== 'log.append' || !random.chance(0.5) || !mayStrike(claim.pk)) return undefined;
      return { kind: 'hold', until: until(claim.pk, isTaken(claim)), dies: true };
    },
  };
}

/** A reply lands when its run is over: the run was cancelled, and ended by an owner that had not seen the reply. */
export function orphan({ random, until, cancelIn }: Means): Hunt {
  const mayStrike = counter();
  return {
    orderFor({ operation, claim }) {
      const { run } = claim.head.session;
      if (operation !== 'putSlot model' || !run || run.ended || run.steps === 0) return undefined;
      if (claim.head.attempts > 1 || !random.chance(0.6) || !mayStrike(claim.pk)) return undefined;
      cancelIn(random.scale(10, 20_000), claim.key);
      return { kind: 'hold', until: until(claim.pk, isCommittedBySuccessor(claim)), dies: true };
    },
  };
}

/** Two owners die in a row: the first leaves only its results, the second only its reply. */
export function twoReplies({ random, until }: Means): Hunt {
  const mayStrike = counter();
  const first = new Map<string, Claim>();
  return {
    orderFor({ operation, claim }) {
      const before = first.get(claim.pk);
      if (claim === before) return operation === 'putSlot tools' ? { kind: 'die', when: 'after' } : undefined;
      if (operation !== 'putSlot model') return undefined;
      if (before && claim.epoch === before.epoch + 1) return { kind: 'die', when: 'after' };
      if (claim.head.attempts > 1 || !random.chance(0.6) || !mayStrike(claim.pk)) return undefined;
      first.set(claim.pk, claim);
      const isNextDone = (head: Head) => head.epoch > claim.epoch + 1;
      return { kind: 'hold', until: until(claim.pk, isNextDone), dies: false };
    },
  };
}

/**
 * A call of the system is kept late. A message has arrived meanwhile, so the next owner has asked the model instead,
 * and has died with its reply.
 */
export function lateMade({ random, gate }: Means): Hunt {
  const mayStrike = counter();
  const first = new Map<string, { readonly claim: Claim; readonly land: () => void }>();
  return {
    asked({ pk, epoch }) {
      const before = first.get(pk);
      if (before && epoch === before.claim.epoch + 1) before.land();
    },
    orderFor({ operation, claim }) {
      if (operation !== 'putSlot model') return undefined;
      const before = first.get(claim.pk);
      if (before && claim.epoch === before.claim.epoch + 1) return { kind: 'die', when: 'before' };
      if (!claim.head.session.run?.due || !random.chance(0.7) || !mayStrike(claim.pk)) return undefined;
      const { promise, resolve } = gate();
      first.set(claim.pk, { claim, land: resolve });
      return { kind: 'hold', until: promise, dies: true };
    },
  };
}

/**
 * Two owners each pay for a reply and die. The first reply lands after the second owner has looked. The third owner
 * adopts it and commits, and then the second reply lands.
 */
export function lateTwins({ random, until }: Means): Hunt {
  const mayStrike = counter();
  const first = new Map<string, Claim>();
  return {
    orderFor({ operation, claim }) {
      if (operation !== 'putSlot model') return undefined;
      const before = first.get(claim.pk);
      if (before && claim.epoch === before.epoch + 1)
        return { kind: 'hold', until: until(claim.pk, isCommittedBySuccessor(claim)), dies: true };
      if (claim.head.attempts > 1 || !random.chance(0.6) || !mayStrike(claim.pk)) return undefined;
      first.set(claim.pk, claim);
      return { kind: 'hold', until: until(claim.pk, isTaken(claim)), dies: true };
    },
  };
}

/**
 * A claim lands long after the reads next to it. Meanwhile owners die with a reply that is kept: it is in the store
 * already, or on its way there until the next owner has begun to read.
 */
export function lateClaim({ random, leaseMs, gate }: Means): Hunt {
  const mayStrike = counter();
  const onTheirWay = new Map<string, () => void>();
  return {
    claimOrder({ pk }) {
      const land = onTheirWay.get(pk);
      if (land) {
        onTheirWay.delete(pk);
        land();
        return { kind: 'delay', ms: random.between(400, 2_000) };
      }
      if (random.chance(0.6)) return undefined;
      const ms = random.chance(0.5) ? random.scale(20, 20_000) : leaseMs + random.between(0, 4_000);
      return { kind: 'delay', ms };
    },
    orderFor({ operation, claim }) {
      if (operation !== 'putSlot model' || random.chance(0.6) || !mayStrike(claim.pk)) return undefined;
      if (random.chance(0.5)) return { kind: 'die', when: 'after' };
      const { promise, resolve } = gate();
      onTheirWay.set(claim.pk, resolve);
      return { kind: 'hold', until: promise, dies: true };
    },
  };
}

/**
 * A replay waits between its two writes until its event is done. Then HEAD is told of an event that is already in a
 * slot. The step that this wakes gives the session back slowly, so other events arrive meanwhile. And events are not
 * marked as done.
 */
export function gap({ random, isDone, until }: Means): Hunt {
  return {
    claimOrder({ pk }) {
      const isToldAgain = ({ inbox, owner }: Head) =>
        owner === undefined && inbox.some((eventId) => isDone(pk, eventId));
      if (random.chance(0.8)) return undefined;
      return random.chance(0.5)
        ? { kind: 'delay', ms: random.scale(20, 4_000) }
        : { kind: 'delay', ms: random.between(1, 20), after: until(pk, isToldAgain) };
    },
    gapMs: () => (random.chance(0.6) ? random.scale(500, 40_000) : undefined),
    orderFor({ operation, claim, head }) {
      if (operation === 'inbox.markDone' && random.chance(0.3)) return { kind: 'refuse' };
      const again = head.inbox.some((eventId) => isDone(claim.pk, eventId));
      return operation === 'commit' && again && random.chance(0.7)
        ? { kind: 'delay', ms: random.scale(100, 5_000) }
        : undefined;
    },
  };
}
