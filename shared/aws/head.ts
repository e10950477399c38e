import type { Fence, SessionView, Watch } from '../agent/ports.ts';
import type { Session } from '../agent/session.ts';
import type { Frame } from '../contract/events.ts';
import type { Item } from './dynamo.ts';
import { headKey, sessionKeyOf } from './layout.ts';

/**
 * The attributes of HEAD that are the loop's own state: one SET of all of them is a commit. `text` is kept as
 * JSON text, because it may hold any string and any number, and an attribute may not: a lone surrogate, as
 * cutting a text in two leaves it, makes a request that is not valid.
 */
const formats: Record<keyof Omit<Session, 'key'>, 'value' | 'text'> = {
  agent: 'value',
  definition: 'value',
  version: 'value',
  contextStart: 'value',
  state: 'value',
  reason: 'value',
  run: 'value',
  nudges: 'text',
  cancelSeen: 'value',
  totals: 'value',
  metadata: 'text',
  eventSeq: 'value',
  outbound: 'value',
};
const stateAttributes = Object.keys(formats) as (keyof typeof formats)[];

/** The session's attributes, without those it has no value for. */
function toAttributes(session: Session): Item {
  const present = stateAttributes.filter((name) => session[name] !== undefined);
  const encoded = (name: keyof typeof formats) =>
    formats[name] === 'text' ? JSON.stringify(session[name]) : session[name];
  return Object.fromEntries(present.map((name) => [name, encoded(name)]));
}

export function toSession(head: Item): Session {
  const present = stateAttributes.filter((name) => head[name] !== undefined);
  const decoded = (name: keyof typeof formats) =>
    formats[name] === 'text' ? JSON.parse(head[name]) : head[name];
  const state = Object.fromEntries(present.map((name) => [name, decoded(name)]));
  return { key: sessionKeyOf(head.pk), ...(state as Omit<Session, 'key'>) };
}

/** HEAD of a session that nobody has claimed. */
export function newHead(session: Session): Item {
  return {
    ...headKey(session.key),
    ...toAttributes(session),
    epoch: 0,
    leaseUntil: 0,
    attempts: 0,
    cancelGen: 0,
    inboxSeq: 0,
    intents: {},
    tail: '[]',
  };
}

/** The clauses of an update that writes all of `session`, absolutely: optional parts that are absent go away. */
export function writeSession(session: Session) {
  const values = toAttributes(session);
  return {
    set: Object.keys(values).map((name) => `#${name} = :${name}`),
    remove: stateAttributes.filter((name) => values[name] === undefined).map((name) => `#${name}`),
    values,
  };
}

export function toFence(head: Item): Fence {
  const { epoch, cancelGen, inboxSeq } = head;
  return {
    epoch,
    cancelGen,
    inboxSeq,
    inbox: sorted(head.inbox),
    consumed: sorted(head.consumed),
    intents: sorted(Object.keys(head.intents)),
    subscribers: sorted(head.subscribers),
  };
}

export function toView(head: Item): SessionView {
  const { dueAt, leaseUntil, attempts } = head;
  const tail: Frame[] = JSON.parse(head.tail);
  return { session: toSession(head), fence: toFence(head), dueAt, leaseUntil, attempts, tail };
}

export function toWatch(head: Item): Watch {
  return { epoch: head.epoch, cancelGen: head.cancelGen, subscribers: sorted(head.subscribers) };
}

/** A string set, which is absent when it is empty. */
export const sorted = (set: Iterable<string> = []): string[] => [...set].sort();
