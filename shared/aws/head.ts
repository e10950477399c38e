import type { Fence } from '../agent/ports/fence.ts';
import type { SessionView, Watch } from '../agent/ports/sessions.ts';
import { withoutRevoked } from '../agent/session/leave.ts';
import type { Session } from '../agent/session/session.ts';
import type { CallStart, Decision } from '../agent/session/waits.ts';
import type { Next } from '../agent/session/wake.ts';
import { sweepAtFor, timesOf } from '../agent/session/wake.ts';
import type { Frame } from '../contract/events.ts';
import type { SessionKey } from '../contract/session.ts';
import type { Item } from './dynamo.ts';
import { duePlaceOf, headKey, sessionKeyOf } from './layout.ts';
import { pack, unpack } from './pack.ts';

/**
 * The attributes of HEAD that are the loop's own state: one SET of all of them is a commit. `packed` is JSON in few
 * bytes, because HEAD is written twice a step and guards remember a lot. `text` is kept as JSON text, because its
 * values may be any string and any number, and an attribute may not: a lone surrogate, which is left when a text is cut
 * in two, makes the request invalid.
 */
const formats: Record<keyof Omit<Session, 'key'>, 'value' | 'text' | 'packed'> = {
  agent: 'value',
  user: 'value',
  definition: 'value',
  version: 'value',
  contextStart: 'value',
  fold: 'value',
  mustFold: 'value',
  packed: 'value',
  origin: 'value',
  forkOf: 'value',
  forkAsked: 'value',
  workspace: 'value',
  state: 'value',
  reason: 'value',
  run: 'value',
  lastEnding: 'text',
  batch: 'text',
  grants: 'text',
  mode: 'value',
  serverRules: 'value',
  proposed: 'text',
  nudges: 'text',
  cancelSeen: 'value',
  totals: 'value',
  delegatedUsd: 'value',
  metadata: 'packed',
  eventSeq: 'value',
  outbound: 'value',
  parent: 'text',
  background: 'text',
  unprompted: 'value',
  handoffs: 'text',
};
const encode = {
  value: (value: unknown) => value,
  text: (value: unknown) => JSON.stringify(value),
  packed: pack,
};
const decode = {
  value: (kept: Item[string]) => kept,
  text: (kept: Item[string]) => JSON.parse(kept),
  packed: (kept: Item[string]) => unpack(kept),
};

const stateAttributes = Object.keys(formats) as (keyof typeof formats)[];

/** The session's attributes. Those without a value are left out. */
export function toAttributes(session: Session): Item {
  const present = stateAttributes.filter((name) => session[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, encode[formats[name]](session[name])]));
}

export function toSession(head: Item): Session {
  const present = stateAttributes.filter((name) => head[name] !== undefined);
  const state = Object.fromEntries(present.map((name) => [name, decode[formats[name]](head[name])]));
  return { key: sessionKeyOf(head.pk), ...(state as Omit<Session, 'key'>) };
}

/** HEAD of a session that has not been claimed. */
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
    decisions: {},
    starts: {},
    tail: pack([]),
  };
}

/**
 * The clauses of an update that writes all of `session` with absolute values: optional parts that are absent are
 * removed.
 */
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
    overflow: head.overflow === true,
    consumed: sorted(head.consumed),
    ...(head.known && { known: { ids: sorted(head.known), at: head.knownAt } }),
    intents: sorted(Object.keys(head.intents)),
    subscribers: sorted(head.subscribers),
    pending: sorted(head.pending),
    decisions: toDecisions(head),
    started: toStarts(head),
    revoked: sorted(head.revoked),
  };
}

/**
 * Kept as text, because what a person writes may contain characters that an attribute may not. Equal decisions have
 * equal texts.
 */
export const fromDecision = ({ approved, by, caller, at, note, grant, changes }: Decision): string =>
  JSON.stringify({ approved, by, caller, at, note, grant, changes });

export const toDecisions = ({ decisions = {} }: Item): Record<string, Decision> =>
  Object.fromEntries(Object.entries<string>(decisions).map(([id, text]) => [id, JSON.parse(text)]));

export const toStarts = ({ starts = {} }: Item): Record<string, CallStart> => starts;

/** The clauses that make a session due at once, with the values they need. */
export const dueNow = (key: SessionKey, now: number) => timeClauses(key, { kind: 'run', dueAt: now }, now);

/** The clauses that make the session due now, unless it is due already. */
export function dueUnlessDue(key: SessionKey, now: number) {
  const { dueShard, phaseMs } = duePlaceOf(key);
  return {
    set: [
      '#dueAt = if_not_exists(#dueAt, :now)',
      // While the session waits for people it is not due, and `sweepAt` is the far expiry of their waits.
      '#sweepAt = if_not_exists(#backstopAt, :sweepAt)',
      '#backstopAt = if_not_exists(#backstopAt, :sweepAt)',
      '#dueShard = :dueShard',
    ],
    values: { now, sweepAt: sweepAtFor(now, now, phaseMs), dueShard },
  };
}

/**
 * The clauses for when this session wants its next wake, with the values they need; times that it does not have are
 * removed.
 */
export function timeClauses(key: SessionKey, next: Next, now: number) {
  const { dueShard, phaseMs } = duePlaceOf(key);
  const wanted = timesOf(next, now, phaseMs);
  const times = { dueAt: undefined, sweepAt: undefined, backstopAt: undefined, ...wanted };
  const values = { ...times, dueShard: times.sweepAt === undefined ? undefined : dueShard };
  const names = Object.keys(values) as (keyof typeof values)[];
  return {
    set: names.filter((name) => values[name] !== undefined).map((name) => `#${name} = :${name}`),
    remove: names.filter((name) => values[name] === undefined).map((name) => `#${name}`),
    values,
  };
}

export function toView(head: Item): SessionView {
  const { dueAt, leaseUntil, attempts } = head;
  const tail = unpack<Frame[]>(head.tail);
  const session = withoutRevoked(toSession(head), sorted(head.revoked));
  return { session, fence: toFence(head), dueAt, leaseUntil, attempts, tail, forks: sorted(head.forks) };
}

export function toWatch(head: Item): Watch {
  const { epoch, cancelGen, subscribers, revoked } = head;
  return { epoch, cancelGen, subscribers: sorted(subscribers), revoked: sorted(revoked) };
}

/** A string set, which is absent when it is empty. */
export const sorted = (set: Iterable<string> = []): string[] => [...set].sort();
