import type { CommitRequest, CommitResult, SessionStore } from '../agent/ports/sessions.ts';
import { isStillOwnedBy } from './claims.ts';
import type { Item } from './dynamo.ts';
import { dueNow, dueUnlessDue, sorted, timeClauses, toAttributes, toFence, writeSession } from './head.ts';
import { type Heads, isLiving } from './heads.ts';
import { headKey } from './layout.ts';
import { pack } from './pack.ts';

/** Commits, which end a step, and what others write on HEAD meanwhile. */
export function createCommits(
  dynamo: Heads,
): Pick<SessionStore, 'commit' | 'cancel' | 'knock' | 'restore' | 'revoke'> {
  return {
    async commit(request) {
      const {
        session,
        epoch,
        seen,
        next,
        waits,
        forgotten = [],
        intents,
        incorporated,
        unmarked,
        known,
        tail,
        now,
      } = request;
      const state = writeSession(session);
      const consumed = new Set([...incorporated, ...unmarked]);
      const times = timeClauses(session.key, next, now);
      const opened = opening(waits);

      // A session that goes on by itself will look at its inbox again. In any other case the commit must have seen all
      // of it.
      const mustHaveSeenAll = next.kind === 'rest' || next.kind === 'wait_for_people';
      const notCancelled = '#cancelGen = :cancelGen';
      const nothingUnseen = '#inboxSeq = :inboxSeq';
      const written = await dynamo.update({
        key: headKey(session.key),
        set: [
          ...state.set,
          '#leaseUntil = :zero',
          '#attempts = :zero',
          ...(intents === 'keep' ? [] : ['#intents = :none']),
          '#tail = :tail',
          ...(consumed.size > 0 ? ['#consumed = :consumed'] : []),
          ...(known ? ['#known = :known', '#knownAt = :knownAt'] : []),
          ...times.set,
          ...opened.set,
        ],
        remove: [
          ...state.remove,
          '#owner',
          '#ownerMessageId',
          ...(consumed.size > 0 ? [] : ['#consumed']),
          ...(known ? [] : ['#known', '#knownAt']),
          ...times.remove,
          ...opened.remove,
        ],
        delete: [
          ...(incorporated.length > 0 ? ['#inbox :incorporated'] : []),
          ...(forgotten.length > 0 ? ['#revoked :forgotten'] : []),
        ],
        when: [...isStillOwnedBy, notCancelled, ...(mustHaveSeenAll ? [nothingUnseen] : [])],
        values: {
          ...state.values,
          ...times.values,
          ...opened.values,
          epoch,
          cancelGen: seen.cancelGen,
          inboxSeq: mustHaveSeenAll ? seen.inboxSeq : undefined,
          consumed: consumed.size > 0 ? consumed : undefined,
          known: known && new Set(known.ids),
          knownAt: known?.at,
          incorporated: incorporated.length > 0 ? new Set(incorporated) : undefined,
          forgotten: forgotten.length > 0 ? new Set(forgotten) : undefined,
          tail: pack(tail),
          none: intents === 'keep' && waits === 'keep' ? undefined : {},
          zero: 0,
        },
      });
      if (written.kind === 'written') {
        return { kind: 'committed', subscribers: sorted(written.item.subscribers) };
      }
      return whyNotCommitted(written.item, request);
    },

    async cancel(key, now) {
      const hasWork = 'attribute_exists(#sweepAt) OR attribute_exists(#background)';
      // `sweepAt` moves too, so that the sweeper backs a session that slept for days.
      const times = dueNow(key, now);
      const written = await dynamo.update({
        key: headKey(key),
        set: ['#cancelGen = #cancelGen + :one', ...times.set],
        when: [hasWork, isLiving],
        values: { one: 1, ...times.values },
      });
      if (written.kind === 'written') return 'cancelled';
      return written.item ? 'idle' : 'unknown';
    },

    async knock(key, now) {
      const isNotAtRest = 'attribute_exists(#sweepAt)';
      const times = dueUnlessDue(key, now);
      const written = await dynamo.update({
        key: headKey(key),
        set: ['#inboxSeq = #inboxSeq + :one', ...times.set],
        when: [isNotAtRest, isLiving],
        values: { one: 1, ...times.values },
      });
      if (written.kind === 'written') return 'knocked';
      return written.item ? 'idle' : 'unknown';
    },

    async revoke(key, grantId) {
      const written = await dynamo.update({
        key: headKey(key),
        add: ['#revoked :ids'],
        when: [isLiving],
        values: { ids: new Set([grantId]) },
      });
      return written.kind === 'written' ? 'revoked' : 'unknown';
    },

    async restore(key, seen, { workspace, nudges }) {
      const [before, now] = [seen.nudges, nudges].map(
        (said) => toAttributes({ ...seen, nudges: said }).nudges,
      );
      const written = await dynamo.update({
        key: headKey(key),
        set: ['#nudges = :now', ...(workspace ? ['#workspace = :workspace'] : [])],
        remove: workspace ? [] : ['#workspace'],
        when: ['attribute_not_exists(#sweepAt)', '#version = :version', '#nudges = :before'],
        values: { now, before, version: seen.version, workspace },
      });
      if (written.kind === 'written') return 'restored';
      const { item } = written;
      if (!item) return 'unknown';
      // An earlier try was applied and its answer lost.
      return item.nudges === now && item.workspace === workspace ? 'restored' : 'busy';
    },
  };
}

/** The clauses that open these waits, without any decision or start yet. */
function opening(waits: CommitRequest['waits']) {
  if (waits === 'keep') return { set: [], remove: [], values: {} };
  const some = waits.length > 0;
  return {
    set: ['#decisions = :none', '#starts = :none', ...(some ? ['#pending = :pending'] : [])],
    remove: some ? [] : ['#pending'],
    values: some ? { pending: new Set(waits) } : {},
  };
}

function whyNotCommitted(head: Item | undefined, { epoch, session }: CommitRequest): CommitResult {
  if (head?.epoch !== epoch) return { kind: 'superseded' };
  if (head.owner !== undefined) return { kind: 'moved', fence: toFence(head) };
  // The owner is gone because of a commit of this very epoch: this one, whose answer was lost.
  const isMine = head.version === session.version && head.eventSeq === session.eventSeq;
  return isMine ? { kind: 'committed', subscribers: sorted(head.subscribers) } : { kind: 'superseded' };
}
