import type { AcceptResult, InboxEvent, InboxStore } from '../agent/ports.ts';
import type { SessionKey } from '../contract/session.ts';
import { copy } from './copy.ts';
import { apply, mapIn, pkOf, type Table } from './table.ts';
import { announce } from './transitions.ts';

/**
 * The inbox in memory.
 *
 * @param betweenWrites `accept` writes two items one after the other, and others may act in between. Awaited
 * there when given: a simulator schedules or crashes in it. Without it `accept` is one critical section.
 */
export function createInbox(table: Table, betweenWrites?: () => Promise<void>): InboxStore {
  return {
    async accept(key, event, now) {
      const kept = keep(table, key, event);
      if (kept === 'conflict') return { kind: 'conflict' };
      if (kept === 'done') return { kind: 'duplicate' };
      if (betweenWrites) await betweenWrites();
      return tell(table, key, event.id, now, kept);
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

function keep(table: Table, key: SessionKey, event: InboxEvent): 'new' | 'known' | 'done' | 'conflict' {
  const events = mapIn(table.events, pkOf(key));
  const existing = events.get(event.id);
  if (!existing) {
    events.set(event.id, copy(event));
    return 'new';
  }
  if (existing.digest !== event.digest) return 'conflict';
  return existing.done ? 'done' : 'known';
}

function tell(
  table: Table,
  key: SessionKey,
  eventId: string,
  now: number,
  kept: 'new' | 'known',
): AcceptResult {
  const told = apply(table, key, (head) => announce(head, eventId, now));
  switch (told) {
    case 'consumed':
      return { kind: 'duplicate' };
    case 'full':
      return { kind: 'full' };
    case 'unknown':
      return { kind: 'unknown' };
    case 'announced':
      return { kind: kept === 'new' ? 'accepted' : 'duplicate', wake: wakeOf(table, key) };
    default:
      return told satisfies never;
  }
}

function wakeOf(table: Table, key: SessionKey) {
  const head = table.heads.get(pkOf(key));
  if (!head) throw new Error(`no session ${pkOf(key)}`);
  const { version, contextStart, definition } = head.session;
  return { ...key, hint: { version, from: contextStart, definition, inbox: copy([...head.inbox]) } };
}
