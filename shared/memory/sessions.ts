import type { SessionStore, Sleeper, SlotsPage, StoredSlot } from '../agent/ports/sessions.ts';
import { keep } from './copy.ts';
import { type Head, newHead, toView, toWatch } from './head.ts';
import { apply, batchOf, definitionOf, mapIn, packsOf, pkOf, type Table } from './table.ts';
import {
  addFork,
  beginCall,
  cancel,
  claim,
  commit,
  decide,
  extend,
  fence,
  finishCall,
  knock,
  postpone,
  removeFork,
  restore,
  revoke,
  subscribe,
  unsubscribe,
} from './transitions.ts';

function slotsOfPage(slots: readonly StoredSlot[], { below, bytes }: SlotsPage): StoredSlot[] {
  const read: StoredSlot[] = [];
  let room = bytes;
  for (const stored of slots) {
    if (stored.slot.n >= below || room <= 0) break;
    read.push(stored);
    room -= Buffer.byteLength(JSON.stringify(stored.slot));
  }
  return read;
}

/**
 * Sessions in memory. Each operation is one synchronous critical section.
 *
 * @param index HEADs as the index of due sessions has them. It may lag: it then names other sessions, and HEAD decides
 * @param duePage sessions of that index that are read at once
 */
export function createSessions(
  table: Table,
  index: ReadonlyMap<string, Head> = table.heads,
  duePage = 100,
): SessionStore {
  return {
    async create(session) {
      const existing = table.heads.get(pkOf(session.key));
      if (existing) return { kind: 'exists', session: existing.session };
      if (table.graves.has(pkOf(session.key))) return { kind: 'gone' };
      table.heads.set(pkOf(session.key), newHead(session));
      return { kind: 'created' };
    },

    async read(key) {
      const head = table.heads.get(pkOf(key));
      return head && toView(head);
    },

    async putDefinition(tenant, hash, pinned) {
      const id = definitionOf(tenant, hash);
      if (!table.definitions.has(id)) table.definitions.set(id, keep(pinned));
    },

    async definition(tenant, hash) {
      return table.definitions.get(definitionOf(tenant, hash));
    },

    async claim(request) {
      return apply(table, request.key, (head) => claim(head, request));
    },

    async slots(key, from, page) {
      const stored = [...(table.slots.get(pkOf(key))?.values() ?? [])];
      const slots = stored.filter(({ slot }) => slot.n >= from).sort((a, b) => a.slot.n - b.slot.n);
      return page ? slotsOfPage(slots, page) : slots;
    },

    async packs(key, id, from, below) {
      const packed = [...(table.packs.get(packsOf(key, id))?.values() ?? [])].flat();
      const alone = [...(table.slots.get(pkOf(key))?.values() ?? [])].map(({ slot }) => slot);
      const byNumber = new Map([...alone, ...packed].map((slot) => [slot.n, slot]));
      const slots = [...byNumber.values()].filter(({ n }) => n >= from && n < below);
      return slots.sort((a, b) => a.n - b.n);
    },

    async putPack(key, id, slots) {
      const packs = mapIn(table.packs, packsOf(key, id));
      packs.set(`${slots[0]?.n}-${slots.at(-1)?.n}`, keep(slots));
    },

    async putSlot(key, epoch, slot) {
      const slots = mapIn(table.slots, pkOf(key));
      const existing = slots.get(slot.n);
      if (existing && existing.epoch > epoch) return 'superseded';
      slots.set(slot.n, keep({ slot, epoch }));
      return 'put';
    },

    async fence(key, epoch, cancelGen, callIds) {
      return apply(table, key, (head) => fence(head, epoch, cancelGen, callIds));
    },

    async putResult(key, n, result) {
      const results = mapIn(table.results, batchOf(key, n));
      if (!results.has(result.callId)) results.set(result.callId, keep(result));
    },

    async results(key, n) {
      const results = [...(table.results.get(batchOf(key, n))?.values() ?? [])];
      return results.sort((a, b) => (a.callId < b.callId ? -1 : 1));
    },

    async decide(key, waitId, decision) {
      return apply(table, key, (head) => decide(head, waitId, decision));
    },

    async beginCall(key, waitId, start, again, now) {
      return apply(table, key, (head) => beginCall(head, waitId, start, again, now));
    },

    async finishCall(key, waitId, now) {
      return apply(table, key, (head) => finishCall(head, waitId, now));
    },

    async commit(request) {
      return apply(table, request.session.key, (head) => commit(head, request));
    },

    async extend(key, epoch, leaseUntil) {
      return apply(table, key, (head) => extend(head, epoch, leaseUntil));
    },

    async watch(key) {
      const head = table.heads.get(pkOf(key));
      return head && toWatch(head);
    },

    async knock(key, now) {
      return apply(table, key, (head) => knock(head, now));
    },

    async cancel(key, now) {
      return apply(table, key, (head) => cancel(head, now));
    },

    async restore(key, seen, to) {
      return apply(table, key, (head) => restore(head, seen, to));
    },

    async revoke(key, grantId) {
      return apply(table, key, (head) => revoke(head, grantId));
    },

    async addFork(key, forkId) {
      return apply(table, key, (head) => addFork(head, forkId));
    },

    async removeFork(key, forkId) {
      apply(table, key, (head) => removeFork(head, forkId));
    },

    async subscribe(key, connectionId) {
      return apply(table, key, (head) => subscribe(head, connectionId));
    },

    async unsubscribe(key, connectionId) {
      apply(table, key, (head) => unsubscribe(head, connectionId));
    },

    async *overdue(now, ahead = 0) {
      const named = [...index]
        .filter(([, { sweepAt = Infinity }]) => sweepAt <= now + ahead)
        .sort(([, a], [, b]) => (a.sweepAt ?? 0) - (b.sweepAt ?? 0));
      const sleeperAt = ([pk]: readonly [string, Head]): Sleeper[] => {
        const head = table.heads.get(pk);
        const { sweepAt = Infinity, leaseUntil = 0 } = head ?? {};
        return head && sweepAt <= now + ahead && leaseUntil <= now ? [{ ...toView(head), sweepAt }] : [];
      };
      for (let at = 0; at < named.length; at += duePage) {
        const sleepers = named.slice(at, at + duePage).flatMap(sleeperAt);
        if (sleepers.length > 0) yield sleepers;
      }
    },

    async postpone(key, now, until) {
      apply(table, key, (head) => postpone(head, now, until));
    },
  };
}
