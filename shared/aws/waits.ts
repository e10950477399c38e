import { own } from '../agent/plain/merge.ts';
import type { BeginResult, SessionStore } from '../agent/ports/sessions.ts';
import type { CallStart } from '../agent/session/waits.ts';
import type { Item } from './dynamo.ts';
import { dueNow, fromDecision, toStarts } from './head.ts';
import type { Heads } from './heads.ts';
import { headKey } from './layout.ts';

const isPending = 'contains(#pending, :wait)';
const nobodyOwnsIt = 'attribute_not_exists(#owner)';

/** Resolves the waits of an open batch: people's decisions, and queued calls. */
export function createWaits(dynamo: Heads): Pick<SessionStore, 'decide' | 'beginCall' | 'finishCall'> {
  return {
    async decide(key, waitId, decision) {
      const times = dueNow(key, decision.at);
      const decided = fromDecision(decision);
      const written = await dynamo.update({
        key: headKey(key),
        set: ['#decisions.#id = :decision', ...times.set],
        delete: ['#pending :waits'],
        when: [isPending, nobodyOwnsIt],
        values: { ...times.values, wait: waitId, waits: new Set([waitId]), decision: decided },
        names: { '#id': waitId },
      });
      if (written.kind === 'written') return 'decided';
      const { item } = written;
      if (!item) return 'unknown';
      if (item.pending?.has(waitId)) return 'busy';
      // An earlier try was applied and its answer lost.
      return item.decisions?.[waitId] === decided ? 'decided' : 'closed';
    },

    async beginCall(key, waitId, start, again, now) {
      const notCancelled = '#cancelGen = #cancelSeen';
      const notBegun = 'attribute_not_exists(#starts.#id)';
      const isOver = '#starts.#id.#until <= :now';
      const written = await dynamo.update({
        key: headKey(key),
        set: ['#starts.#id = :start'],
        when: [isPending, nobodyOwnsIt, notCancelled, again ? `${notBegun} OR ${isOver}` : notBegun],
        values: { wait: waitId, start, ...(again && { now }) },
        names: { '#id': waitId },
      });
      return written.kind === 'written' ? { kind: 'begun' } : whyNotBegun(written.item, waitId, start, now);
    },

    async finishCall(key, waitId, now) {
      const times = dueNow(key, now);
      while (true) {
        const more = await dynamo.update({
          key: headKey(key),
          delete: ['#pending :waits'],
          when: [isPending, 'size(#pending) > :one'],
          values: { wait: waitId, waits: new Set([waitId]), one: 1 },
        });
        if (more.kind === 'written') return 'more';
        const last = await dynamo.update({
          key: headKey(key),
          set: times.set,
          remove: ['#pending'],
          when: [isPending, 'size(#pending) = :one'],
          values: { ...times.values, wait: waitId, one: 1 },
        });
        if (last.kind === 'written') return 'last';
        if (!last.item?.pending?.has(waitId)) return 'closed';
      }
    },
  };
}

function whyNotBegun(head: Item | undefined, waitId: string, start: CallStart, now: number): BeginResult {
  if (!head?.pending?.has(waitId) || head.cancelGen !== head.cancelSeen) return { kind: 'closed' };
  const before = own(toStarts(head), waitId);
  // An earlier try was applied and its answer lost: the session's present owner has seen the start.
  if (before?.invocationId === start.invocationId) return { kind: 'begun' };
  if (head.owner !== undefined || !before) return { kind: 'closed' };
  if (before.until <= now) return { kind: 'died' };
  return { kind: 'running', until: before.until };
}
