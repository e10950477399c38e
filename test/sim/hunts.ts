import type { SessionKey } from '../../shared/contract/session.ts';
import type { Head } from '../../shared/memory/head.ts';
import type { Aim, Claim } from './ledger.ts';
import type { Order } from './network.ts';
import type { Random } from './random.ts';

/** One way to seek a narrow gap. Its state is of one simulation. */
export interface Hunt {
  /** What is to become of a call of somebody who has claimed a session. Without an order chance decides. */
  orderFor?(seen: Seen): Order | undefined;
  /** Time between the two writes of an accept. */
  gapMs?(): number | undefined;
  /** What is to become of a claim; the reads beside it are not held up. */
  claimOrder?(aim: Aim): Order | undefined;
  /** What is to become of the start of a queued call. */
  beginOrder?(aim: Aim): Order | undefined;
}

/** A call of an owner, or of one who has been. */
export interface Seen {
  readonly operation: string;
  readonly claim: Claim;
  /** HEAD as it is now. */
  readonly head: Head;
}

/** What a hunt may use. */
export interface Means {
  readonly random: Random;
  readonly leaseMs: number;
  /** Resolves when the HEAD of a session is like this, and in any case after a while. */
  until(pk: string, comes: (head: Head) => boolean): Promise<void>;
  /** Makes a message come again. */
  redeliverIn(ms: number, messageId: string): void;
  redeliverCallIn(ms: number, messageId: string): void;
  /** Whether an event is marked as incorporated for good. */
  isDone(pk: string, eventId: string): boolean;
  cancelIn(ms: number, key: SessionKey): void;
}

/** Times that a hunt strikes in one session: enough to hit, few enough to come to rest. */
const STRIKES = 3;

/** Whether a session may be struck again. */
function counter(most = STRIKES): (pk: string) => boolean {
  const struck = new Map<string, number>();
  return (pk) => {
    const times = struck.get(pk) ?? 0;
    struck.set(pk, times + 1);
    return times < most;
  };
}

/** HEAD after this epoch has committed, or a later one has claimed. */
const isOver = (claim: Claim) => (head: Head) => head.epoch > claim.epoch || head.owner === undefined;
/** HEAD after a later epoch has committed. */
const isCommittedBySuccessor = (claim: Claim) => (head: Head) =>
  head.epoch > claim.epoch && head.owner === undefined;
const isTaken = (claim: Claim) => (head: Head) => head.epoch > claim.epoch;

/** A fence is sent twice, and the first one lands after the commit, before the next claim. */
function lateFence({ random, until }: Means): Hunt {
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
function zombie({ random, leaseMs }: Means): Hunt {
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
function silentEnd({ random }: Means): Hunt {
  const mayStrike = counter();
  return {
    orderFor: ({ operation, claim }) =>
      operation === 'commit' && random.chance(0.4) && mayStrike(claim.pk)
        ? { kind: 'die', when: 'after' }
        : undefined,
  };
}

/** Owners die in a row, and what each one logged last lands when its successor may have read the log already. */
function lateLogs({ random, until }: Means): Hunt {
  const mayStrike = counter();
  return {
    orderFor({ operation, claim }) {
      if (operation !== 'log.append' || !random.chance(0.5) || !mayStrike(claim.pk)) return undefined;
      return { kind: 'hold', until: until(claim.pk, isTaken(claim)), dies: true };
    },
  };
}

/** A reply lands when its run is over: it was cancelled, and ended by an owner that had not seen the reply. */
function orphan({ random, until, cancelIn }: Means): Hunt {
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

/** Two owners die in a row: of the first one only the results are kept, of the second only the reply. */
function twoReplies({ random, until }: Means): Hunt {
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
 * Two owners buy a reply each and die. The first reply lands when the second owner has looked; the third owner adopts it,
 * and commits; then the second one lands.
 */
function lateTwins({ random, until }: Means): Hunt {
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
 * A replay stands between its two writes until its event is done with: then HEAD is told of an event that is in a slot.
 * Who is woken by that gives the session back slowly, so that other events come meanwhile. And events are not marked
 * as done.
 */
function gap({ random, isDone, until }: Means): Hunt {
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

/** A claim lands long after what was read beside it, and owners die with a kept reply meanwhile. */
function lateClaim({ random, leaseMs }: Means): Hunt {
  const mayStrike = counter();
  return {
    claimOrder() {
      if (random.chance(0.6)) return undefined;
      const ms = random.chance(0.5) ? random.scale(20, 20_000) : leaseMs + random.between(0, 4_000);
      return { kind: 'delay', ms };
    },
    orderFor: ({ operation, claim }) =>
      operation === 'putSlot model' && random.chance(0.4) && mayStrike(claim.pk)
        ? { kind: 'die', when: 'after' }
        : undefined,
  };
}

/**
 * All who would claim die, and the message comes again, until it is a dead letter. The last one only stands still, and
 * goes on shortly before the revived message comes: it then holds the session with a message that is gone.
 */
function deadClaim({ random, leaseMs, redeliverIn }: Means): Hunt {
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

/** Somebody stops the run while its tools run. */
function stop({ random, cancelIn }: Means): Hunt {
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

/** Workers die as they begin a queued call, and the start lands when a step owns the session: it closes the batch then. */
function lateBegin({ random, until }: Means): Hunt {
  return {
    beginOrder({ pk }) {
      if (random.chance(0.4)) return undefined;
      const isOwned = ({ owner }: Head) => owner !== undefined;
      return { kind: 'hold', until: until(pk, isOwned), dies: true };
    },
    orderFor: ({ operation }) =>
      operation === 'putSlot tools' && random.chance(0.5)
        ? { kind: 'delay', ms: random.scale(100, 10_000) }
        : undefined,
  };
}

/** Workers of one call die until its message has been received too often; it is a dead letter while the last one works. */
function deadCall({ random, redeliverCallIn }: Means): Hunt {
  const tried = new Map<string, number>();
  return {
    beginOrder({ messageId }) {
      const times = (tried.get(messageId) ?? 0) + 1;
      tried.set(messageId, times);
      if (times > 5) return undefined;
      redeliverCallIn(random.scale(50, 3_000), messageId);
      return times < 5 ? { kind: 'die', when: 'before' } : undefined;
    },
  };
}

export const hunts = {
  deadCall,
  lateBegin,
  stop,
  deadClaim,
  lateClaim,
  lateFence,
  zombie,
  silentEnd,
  lateLogs,
  orphan,
  twoReplies,
  lateTwins,
  gap,
} as const satisfies Record<string, (means: Means) => Hunt>;

export type HuntName = keyof typeof hunts;
