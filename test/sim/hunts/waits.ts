/** Batches that wait: for people, and for queued calls. */

import type { Head } from '../../../shared/memory/head.ts';
import type { Aim } from '../ledger.ts';
import { counter, type Hunt, type Means } from './hunt.ts';

/**
 * Workers die while they begin a queued call. The start lands when a step owns the session, which then closes the
 * batch.
 */
export function lateBegin({ random, until }: Means): Hunt {
  return {
    workerOrder(operation, { pk }) {
      if (operation !== 'beginCall' || random.chance(0.4)) return undefined;
      const isOwned = ({ owner }: Head) => owner !== undefined;
      return { kind: 'hold', until: until(pk, isOwned), dies: true };
    },
    orderFor: ({ operation }) =>
      operation === 'putSlot tools' && random.chance(0.5)
        ? { kind: 'delay', ms: random.scale(100, 10_000) }
        : undefined,
  };
}

/** Workers of one call die until its message was received too often. It is a dead letter while the last worker runs. */
export function deadCall({ random, redeliverCallIn }: Means): Hunt {
  const tried = new Map<string, number>();
  return {
    workerOrder(operation, { messageId }) {
      if (operation !== 'beginCall') return undefined;
      const times = (tried.get(messageId) ?? 0) + 1;
      tried.set(messageId, times);
      if (times > 5) return undefined;
      redeliverCallIn(random.scale(50, 3_000), messageId);
      return times < 5 ? { kind: 'die', when: 'before' } : undefined;
    },
  };
}

/**
 * A call is delivered twice. The second worker finds it waiting, but begins only after the first one has taken it out
 * and died before sending a wake.
 */
export function lostLast({ random, until, redeliverCallIn }: Means): Hunt {
  const first = new Map<string | undefined, Aim>();
  return {
    workerOrder(operation, aim) {
      const { pk, waitId = '', messageId } = aim;
      const before = first.get(waitId);
      if (operation === 'beginCall' && !before) {
        first.set(waitId, aim);
        redeliverCallIn(random.between(1, 50), messageId);
        return { kind: 'delay', ms: random.between(50, 500) };
      }
      if (operation === 'beginCall' && before !== aim) {
        const isOut = ({ pending }: Head) => !pending.includes(waitId);
        return { kind: 'delay', ms: random.between(1, 20), after: until(pk, isOut) };
      }
      return operation === 'finishCall' && before === aim ? { kind: 'die', when: 'after' } : undefined;
    },
  };
}

/** A worker that has begun a call freezes until the call's message is back and another worker is on it. */
export function frozenWorker({ random }: Means): Hunt {
  const frozen = new Map<string, Aim>();
  return {
    workerOrder(operation, aim) {
      const { waitId = '' } = aim;
      const first = frozen.get(waitId);
      if (operation === 'beginCall' && !first && random.chance(0.4)) {
        frozen.set(waitId, aim);
        return { kind: 'freeze', when: 'after', ms: random.between(6_000, 45_000) };
      }
      const isSlow = operation === 'putResult' && first && first !== aim;
      return isSlow ? { kind: 'delay', ms: random.between(2_000, 12_000) } : undefined;
    },
  };
}

/** A step is slow to commit, and its run is stopped meanwhile. The step opens a batch, or finds it still waiting. */
export function stopCommit({ random, cancelIn }: Means): Hunt {
  const mayStrike = counter();
  const waits = random.chance(0.5);
  return {
    orderFor({ operation, claim }) {
      const { state } = claim.head.session;
      if (operation !== 'commit' || waits !== (state === 'waiting_for_input')) return undefined;
      if (random.chance(0.5) || !mayStrike(claim.pk)) return undefined;
      cancelIn(random.between(1, 200), claim.key);
      return { kind: 'delay', ms: random.between(100, 2_000) };
    },
  };
}
