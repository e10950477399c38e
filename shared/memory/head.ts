import type { Fence, SessionView, Watch } from '../agent/ports.ts';
import type { Session } from '../agent/session.ts';
import type { Frame } from '../contract/events.ts';
import { copy } from './copy.ts';

/** The one item of a session that several writers change: the same attributes as in DynamoDB. */
export interface Head {
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
  readonly consumed: readonly string[];
  /** Unsafe calls that have started, each with the epoch that started it. */
  readonly intents: Readonly<Record<string, number>>;
  readonly subscribers: readonly string[];
  readonly tail: readonly Frame[];
  readonly dueAt?: number;
  readonly sweepAt?: number;
}

export function newHead(session: Session): Head {
  return {
    session: copy(session),
    epoch: 0,
    leaseUntil: 0,
    attempts: 0,
    cancelGen: 0,
    inboxSeq: 0,
    inbox: [],
    consumed: [],
    intents: {},
    subscribers: [],
    tail: [],
  };
}

export function toFence({ epoch, cancelGen, inboxSeq, inbox, consumed, intents, subscribers }: Head): Fence {
  return copy({
    epoch,
    cancelGen,
    inboxSeq,
    inbox,
    consumed,
    intents: Object.keys(intents).sort(),
    subscribers,
  });
}

export function toView(head: Head): SessionView {
  const { session, dueAt, leaseUntil, attempts, tail } = head;
  return copy({ session, fence: toFence(head), dueAt, leaseUntil, attempts, tail });
}

export function toWatch({ epoch, cancelGen, subscribers }: Head): Watch {
  return copy({ epoch, cancelGen, subscribers });
}

/** `set` with `more` in it, sorted. */
export const union = (set: readonly string[], more: readonly string[]): string[] =>
  [...new Set([...set, ...more])].sort();

/** `set` without `less`. */
export const without = (set: readonly string[], less: readonly string[]): string[] =>
  set.filter((id) => !less.includes(id));
