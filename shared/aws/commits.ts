import { type CommitRequest, type CommitResult, type SessionStore, sweepAtFor } from '../agent/ports.ts';
import { isStillOwnedBy } from './claims.ts';
import type { Dynamo, Item } from './dynamo.ts';
import { sorted, toFence, writeSession } from './head.ts';
import { dueShard, headKey } from './layout.ts';

/** What ends a step, and what asks it to end. */
export function createCommits(dynamo: Dynamo): Pick<SessionStore, 'commit' | 'cancel'> {
  return {
    async commit(request) {
      const { session, epoch, seen, next, incorporated, unmarked, tail, now } = request;
      const state = writeSession(session);
      const consumed = new Set([...incorporated, ...unmarked]);
      const moment = next.kind === 'run' ? { dueAt: next.dueAt, sweepAt: sweepAtFor(next.dueAt, now) } : {};
      const wantsWake = next.kind === 'run';

      const notCancelled = '#cancelGen = :cancelGen';
      const nothingUnseen = '#inboxSeq = :inboxSeq';
      const written = await dynamo.update({
        key: headKey(session.key),
        set: [
          ...state.set,
          '#leaseUntil = :zero',
          '#attempts = :zero',
          '#intents = :none',
          '#tail = :tail',
          ...(consumed.size > 0 ? ['#consumed = :consumed'] : []),
          ...(wantsWake ? ['#dueAt = :dueAt', '#sweepAt = :sweepAt', '#dueShard = :dueShard'] : []),
        ],
        remove: [
          ...state.remove,
          '#owner',
          '#ownerMessageId',
          ...(consumed.size > 0 ? [] : ['#consumed']),
          ...(wantsWake ? [] : ['#dueAt', '#sweepAt', '#dueShard']),
        ],
        delete: incorporated.length > 0 ? ['#inbox :incorporated'] : [],
        // A session that goes on will look at its inbox again: only one that rests must have seen all of it.
        when: [...isStillOwnedBy, notCancelled, ...(wantsWake ? [] : [nothingUnseen])],
        values: {
          ...state.values,
          ...moment,
          epoch,
          cancelGen: seen.cancelGen,
          inboxSeq: wantsWake ? undefined : seen.inboxSeq,
          dueShard: wantsWake ? dueShard : undefined,
          consumed: consumed.size > 0 ? consumed : undefined,
          incorporated: incorporated.length > 0 ? new Set(incorporated) : undefined,
          tail: JSON.stringify(tail),
          none: {},
          zero: 0,
        },
      });
      if (written.kind === 'written') {
        return { kind: 'committed', subscribers: sorted(written.item.subscribers) };
      }
      return whyNotCommitted(written.item, request);
    },

    async cancel(key, now) {
      const hasRun = 'attribute_exists(#dueAt)';
      const written = await dynamo.update({
        key: headKey(key),
        // `sweepAt` moves too: a session that slept for days is backed by the sweeper from now on.
        set: ['#cancelGen = #cancelGen + :one', '#dueAt = :now', '#sweepAt = :sweepAt'],
        when: [hasRun],
        values: { one: 1, now, sweepAt: sweepAtFor(now, now) },
      });
      if (written.kind === 'written') return 'cancelled';
      return written.item ? 'idle' : 'unknown';
    },
  };
}

function whyNotCommitted(head: Item | undefined, { epoch, session }: CommitRequest): CommitResult {
  if (head?.epoch !== epoch) return { kind: 'superseded' };
  if (head.owner !== undefined) return { kind: 'moved', fence: toFence(head) };
  // The owner is gone by a commit of this very epoch: by this one, whose answer was lost.
  const isMine = head.version === session.version && head.eventSeq === session.eventSeq;
  return isMine ? { kind: 'committed', subscribers: sorted(head.subscribers) } : { kind: 'superseded' };
}
