import { defined } from '../agent/plain/defined.ts';
import type { Fence } from '../agent/ports/fence.ts';
import type { SessionView, Watch } from '../agent/ports/sessions.ts';
import type { Known } from '../agent/session/known.ts';
import { withoutRevoked } from '../agent/session/leave.ts';
import type { Session } from '../agent/session/session.ts';
import type { CallStart, Decision } from '../agent/session/waits.ts';
import { timesOf, type WakeTimes } from '../agent/session/wake.ts';
import type { Frame } from '../contract/events.ts';
import { copy, keep } from './copy.ts';

/** A session's one item that several writers change: the same attributes as in DynamoDB. */
export interface Head extends WakeTimes {
  readonly session: Session;
  readonly epoch: number;
  readonly owner?: string;
  readonly ownerMessageId?: string;
  readonly leaseUntil: number;
  readonly attempts: number;
  readonly cancelGen: number;
  readonly inboxSeq: number;
  /** The sets are sorted. */
  readonly inbox: readonly string[];
  /** More events wait for room in the inbox. */
  readonly overflow?: true;
  readonly consumed: readonly string[];
  readonly known?: Known;
  /** Unsafe calls that have started, each with the epoch that started it. */
  readonly intents: Readonly<Record<string, number>>;
  readonly subscribers: readonly string[];
  /** Waits of the open batch that are not resolved. */
  readonly pending: readonly string[];
  readonly decisions: Readonly<Record<string, Decision>>;
  readonly starts: Readonly<Record<string, CallStart>>;
  /** Grants that were taken back. */
  readonly revoked: readonly string[];
  readonly tail: readonly Frame[];
  readonly forks: readonly string[];
}

/** The times of a session that is due at once. */
export const dueNow = (now: number) => timesOf({ kind: 'run', dueAt: now }, now);

export function newHead(session: Session): Head {
  return {
    session: keep(session),
    epoch: 0,
    leaseUntil: 0,
    attempts: 0,
    cancelGen: 0,
    inboxSeq: 0,
    inbox: [],
    consumed: [],
    intents: {},
    subscribers: [],
    pending: [],
    decisions: {},
    starts: {},
    revoked: [],
    tail: [],
    forks: [],
  };
}

export function toFence(head: Head): Fence {
  const { epoch, cancelGen, inboxSeq, inbox, overflow = false, consumed, known, intents, subscribers } = head;
  const { pending, decisions, starts, revoked } = head;
  return copy({
    epoch,
    cancelGen,
    inboxSeq,
    inbox,
    overflow,
    consumed,
    ...defined({ known }),
    intents: Object.keys(intents).sort(),
    subscribers,
    pending,
    decisions,
    started: starts,
    revoked,
  });
}

export function toView(head: Head): SessionView {
  const { session, dueAt, leaseUntil, attempts, tail, revoked, forks } = head;
  return {
    session: withoutRevoked(session, revoked),
    fence: toFence(head),
    ...defined({ dueAt }),
    leaseUntil,
    attempts,
    tail,
    forks,
  };
}

export function toWatch({ epoch, cancelGen, subscribers, revoked }: Head): Watch {
  return copy({ epoch, cancelGen, subscribers, revoked });
}

/** `set` with `more` added, sorted. */
export const union = (set: readonly string[], more: readonly string[]): string[] =>
  [...new Set([...set, ...more])].sort();

/** `set` without `less`. */
export const without = (set: readonly string[], less: readonly string[]): string[] =>
  set.filter((id) => !less.includes(id));
