import { type AcceptResult, type InboxEvent, type InboxStore, MAX_INBOX } from '../agent/ports/inbox.ts';
import { hintOf } from '../agent/session/hint.ts';
import { standingWhenBegun } from '../agent/session/listing.ts';
import type { SessionKey } from '../contract/session.ts';
import { copy } from './copy.ts';
import { apply, mapIn, pkOf, type Table } from './table.ts';
import { announce, announceOverflow, refill } from './transitions.ts';

/** For simulators and tests. */
export interface InboxOptions {
  /**
   * `accept` writes two items one after the other, or four, and other writers may act in between. If this is given, it
   * is awaited there: a simulator schedules or crashes in it.
   */
  readonly betweenWrites?: (() => Promise<void>) | undefined;
  /**
   * How a write of `accept` reaches the store: by itself, so that the SDK may repeat it, and it may land late. Absent: at once. A
   * simulator lets a network carry it.
   */
  readonly reach?: Reach | undefined;
  /** The number of events that it holds: {@link MAX_INBOX}, unless a simulator needs fewer. */
  readonly maxInbox?: number | undefined;
}

/** Carries one write. `tell` is a write on HEAD. */
export type Reach = <T>(what: 'keep' | 'line' | 'tell', write: () => T) => Promise<T>;

/** The inbox in memory. */
export function createInbox(
  table: Table,
  { betweenWrites, reach = async (_what, write) => write(), maxInbox = MAX_INBOX }: InboxOptions = {},
): InboxStore {
  return {
    async accept(key, event, now, whenFull = 'refuse') {
      const kept = await reach('keep', () => keep(table, key, event));
      if (kept.kind === 'conflict') return { kind: 'conflict' };
      if (kept.kind === 'done') return { kind: 'duplicate' };
      if (betweenWrites) await betweenWrites();
      const told = await reach('tell', () => {
        const answered = apply(table, key, (head) => announce(head, event.id, now, maxInbox));
        return answer(table, key, answered, kept.kind, now);
      });
      if (told.kind !== 'full' || whenFull === 'refuse') return told;
      if (betweenWrites) await betweenWrites();
      await reach('line', () => mapIn(table.lines, pkOf(key)).set(event.id, kept.at));
      if (betweenWrites) await betweenWrites();
      return reach('tell', () => {
        const answered = apply(table, key, (head) => announceOverflow(head, event.id, now));
        return answer(table, key, answered, kept.kind, now);
      });
    },

    async refill(key, fence) {
      const places = mapIn(table.lines, pkOf(key));
      const line = [...places].sort(([a, from], [b, to]) => from - to || (a < b ? -1 : 1)).map(([id]) => id);
      const room = maxInbox - fence.inbox.length;
      if (betweenWrites) await betweenWrites();
      const first = line.slice(0, room);
      const ids = first.filter((id) => !fence.consumed.includes(id));
      const refilled = apply(table, key, (head) => refill(head, fence, ids, line.length <= room));
      if (!refilled) return fence;
      if (betweenWrites) await betweenWrites();
      for (const id of first) places.delete(id);
      return refilled;
    },

    async read(key, eventIds) {
      const events = table.events.get(pkOf(key));
      const found = [...new Set(eventIds)].flatMap((id) => events?.get(id) ?? []);
      return copy(found.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)));
    },

    async markDone(key, eventIds) {
      const events = mapIn(table.events, pkOf(key));
      for (const id of eventIds) {
        const event = events.get(id);
        if (event) events.set(id, { ...event, text: '', done: true });
      }
    },
  };
}

/** The state of an event, and since when it holds. */
type Kept =
  | { readonly kind: 'new' | 'known'; readonly at: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'conflict' };

function keep(table: Table, key: SessionKey, event: InboxEvent): Kept {
  const events = mapIn(table.events, pkOf(key));
  const existing = events.get(event.id);
  if (!existing) {
    events.set(event.id, copy(event));
    return { kind: 'new', at: event.at };
  }
  if (existing.digest !== event.digest) return { kind: 'conflict' };
  return existing.done ? { kind: 'done' } : { kind: 'known', at: existing.at };
}

function answer(
  table: Table,
  key: SessionKey,
  told: 'announced' | 'consumed' | 'full' | 'unknown',
  kept: 'new' | 'known',
  now: number,
): AcceptResult {
  switch (told) {
    case 'consumed':
      return { kind: 'duplicate' };
    case 'full':
      return { kind: 'full' };
    case 'unknown':
      return { kind: 'unknown' };
    case 'announced':
      return { kind: kept === 'new' ? 'accepted' : 'duplicate', ...toldOf(table, key, kept, now) };
    default:
      return told satisfies never;
  }
}

function toldOf(table: Table, key: SessionKey, kept: 'new' | 'known', now: number) {
  const head = table.heads.get(pkOf(key));
  if (!head) throw new Error(`no session ${pkOf(key)}`);
  const { session, epoch, owner, dueAt } = head;
  const mayBegin = owner === undefined && (dueAt === now || kept === 'known');
  return {
    wake: { ...key, hint: copy(hintOf(session, head.inbox)) },
    ...(mayBegin && { began: copy(standingWhenBegun(session, epoch, now)) }),
  };
}
