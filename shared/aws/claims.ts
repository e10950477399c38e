import type { ClaimResult, SessionStore } from '../agent/ports/sessions.ts';
import type { Item } from './dynamo.ts';
import { toView } from './head.ts';
import type { Heads } from './heads.ts';
import { headKey } from './layout.ts';

/** Claiming a session, and keeping the claim. */
export function createClaims(dynamo: Heads): Pick<SessionStore, 'claim' | 'extend' | 'fence'> {
  return {
    async claim(request) {
      const { key, invocationId, messageId, now, leaseMs } = request;
      // A session at rest, or one that does not exist, has no such attribute, so the clause fails.
      const isDue = '#dueAt <= :now';
      const nobodyHoldsIt = '#leaseUntil <= :now';
      const written = await dynamo.update({
        key: headKey(key),
        set: [
          '#epoch = #epoch + :one',
          '#owner = :me',
          '#ownerMessageId = :message',
          '#leaseUntil = :until',
          '#attempts = #attempts + :one',
        ],
        when: [isDue, nobodyHoldsIt],
        values: { now, one: 1, me: invocationId, message: messageId, until: now + leaseMs },
      });
      if (written.kind === 'written') return { kind: 'claimed', view: toView(written.item) };
      return whyNotClaimed(written.item, invocationId, messageId, now);
    },

    async extend(key, epoch, leaseUntil) {
      const written = await dynamo.update({
        key: headKey(key),
        set: ['#leaseUntil = :until'],
        // A heartbeat that lands after its own commit must not lease a session that has no owner.
        when: isStillOwnedBy,
        values: { epoch, until: leaseUntil },
      });
      return written.kind === 'written' ? 'held' : 'lost';
    },

    async fence(key, epoch, cancelGen, callIds) {
      for (const some of chunks(callIds, CALLS_PER_WRITE)) {
        if ((await fenceSome(dynamo, headKey(key), epoch, cancelGen, some)) === 'refused') return 'refused';
      }
      return 'fenced';
    },
  };
}

/**
 * The clauses that `:epoch` is the session's and has not given it up. An epoch ends with its commit: nothing that it
 * sent before may change the session afterwards.
 */
export const isStillOwnedBy = ['#epoch = :epoch', 'attribute_exists(#owner)'];

function whyNotClaimed(head: Item | undefined, me: string, messageId: string, now: number): ClaimResult {
  if (!head) return { kind: 'unknown' };
  if (head.dueAt === undefined) return { kind: 'rest', view: toView(head) };
  // An earlier try was applied and its answer lost. This one has not counted a second attempt.
  if (head.owner === me) return { kind: 'claimed', view: toView(head) };
  if (head.leaseUntil > now) {
    return { kind: head.ownerMessageId === messageId ? 'leased_by_this_message' : 'leased' };
  }
  return { kind: 'early', dueAt: head.dueAt, view: toView(head) };
}

/**
 * Intents of one write: an expression may have 4 KB. A batch that needs more than one write may be refused half-way.
 * The calls recorded by then have not started, and are treated like calls that a crash interrupted: outcome unknown.
 */
const CALLS_PER_WRITE = 50;

/**
 * `intents` maps each call to the epoch that started it, so a retry of this write can tell its own intents from others.
 */
async function fenceSome(
  dynamo: Heads,
  key: { pk: string; sk: string },
  epoch: number,
  cancelGen: number,
  callIds: readonly string[],
): Promise<'fenced' | 'refused'> {
  const notCancelled = '#cancelGen = :cancelGen';
  const notStarted = callIds.map((_, i) => `attribute_not_exists(#intents.#c${i})`);
  const written = await dynamo.update({
    key,
    set: callIds.map((_, i) => `#intents.#c${i} = :epoch`),
    when: [...isStillOwnedBy, notCancelled, ...notStarted],
    values: { epoch, cancelGen },
    names: Object.fromEntries(callIds.map((id, i) => [`#c${i}`, id])),
  });
  if (written.kind === 'written') return 'fenced';
  const { item } = written;
  return item?.epoch === epoch && callIds.every((id) => item.intents[id] === epoch) ? 'fenced' : 'refused';
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) =>
    list.slice(i * size, (i + 1) * size),
  );
}
