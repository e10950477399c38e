/**
 * What each operation does to a HEAD, as data: (the item, a request) to (the next item, the answer). The
 * conditions are those of `shared/aws/sessions.ts`, clause by clause and in the same order.
 */

import type { ClaimRequest, ClaimResult, CommitRequest, CommitResult } from '../agent/ports.ts';
import { MAX_INBOX, sweepAtFor } from '../agent/ports.ts';
import { copy } from './copy.ts';
import { type Head, toFence, toView, union, without } from './head.ts';

/** Without a `head` nothing is written: the condition did not hold. */
export interface Change<Answer> {
  readonly head?: Head;
  readonly answer: Answer;
}

export function claim(head: Head | undefined, request: ClaimRequest): Change<ClaimResult> {
  const { invocationId, messageId, now, leaseMs } = request;
  if (!head) return { answer: { kind: 'unknown' } };
  if (head.dueAt === undefined) return { answer: { kind: 'rest', view: toView(head) } };
  if (head.dueAt <= now && head.leaseUntil <= now) {
    const claimed = {
      ...head,
      epoch: head.epoch + 1,
      owner: invocationId,
      ownerMessageId: messageId,
      leaseUntil: now + leaseMs,
      attempts: head.attempts + 1,
    };
    return { head: claimed, answer: { kind: 'claimed', view: toView(claimed) } };
  }
  if (head.owner === invocationId) return { answer: { kind: 'claimed', view: toView(head) } };
  if (head.leaseUntil > now) {
    return { answer: { kind: head.ownerMessageId === messageId ? 'leased_by_this_message' : 'leased' } };
  }
  return { answer: { kind: 'early', dueAt: head.dueAt } };
}

export function fence(
  head: Head | undefined,
  epoch: number,
  cancelGen: number,
  callIds: readonly string[],
): Change<'fenced' | 'refused'> {
  if (!head) return { answer: 'refused' };
  const held = head.epoch === epoch && head.owner !== undefined;
  const unknown = callIds.every((id) => !Object.hasOwn(head.intents, id));
  if (held && head.cancelGen === cancelGen && unknown) {
    const intents = { ...head.intents, ...Object.fromEntries(callIds.map((id) => [id, epoch])) };
    return { head: { ...head, intents }, answer: 'fenced' };
  }
  const mine =
    head.epoch === epoch &&
    callIds.every((id) => Object.hasOwn(head.intents, id) && head.intents[id] === epoch);
  return { answer: mine ? 'fenced' : 'refused' };
}

export function commit(head: Head | undefined, request: CommitRequest): Change<CommitResult> {
  if (!head) return { answer: { kind: 'superseded' } };
  const { epoch, seen, session, incorporated, unmarked, next, tail, now } = request;
  const held = head.epoch === epoch && head.owner !== undefined;
  const nothingUnseen = next.kind === 'run' || head.inboxSeq === seen.inboxSeq;
  if (held && head.cancelGen === seen.cancelGen && nothingUnseen) {
    const { owner, ownerMessageId, dueAt, sweepAt, ...rest } = head;
    const committed: Head = {
      ...rest,
      session: copy(session),
      leaseUntil: 0,
      attempts: 0,
      intents: {},
      consumed: union(incorporated, unmarked),
      inbox: without(head.inbox, incorporated),
      tail: copy(tail),
      ...(next.kind === 'run' && { dueAt: next.dueAt, sweepAt: sweepAtFor(next.dueAt, now) }),
    };
    return { head: committed, answer: { kind: 'committed', subscribers: copy(head.subscribers) } };
  }
  if (held) return { answer: { kind: 'moved', fence: toFence(head) } };
  const mine = head.epoch === epoch && isSame(head.session, session);
  return {
    answer: mine ? { kind: 'committed', subscribers: copy(head.subscribers) } : { kind: 'superseded' },
  };
}

const isSame = (a: { version: number; eventSeq: number }, b: { version: number; eventSeq: number }) =>
  a.version === b.version && a.eventSeq === b.eventSeq;

export function extend(head: Head | undefined, epoch: number, leaseUntil: number): Change<'held' | 'lost'> {
  if (head?.epoch !== epoch || head.owner === undefined) return { answer: 'lost' };
  return { head: { ...head, leaseUntil }, answer: 'held' };
}

export function cancel(head: Head | undefined, now: number): Change<'cancelled' | 'idle' | 'unknown'> {
  if (!head) return { answer: 'unknown' };
  if (head.dueAt === undefined) return { answer: 'idle' };
  return {
    head: { ...head, cancelGen: head.cancelGen + 1, dueAt: now, sweepAt: sweepAtFor(now, now) },
    answer: 'cancelled',
  };
}

/** Tells the session of an accepted event. */
export function announce(
  head: Head | undefined,
  eventId: string,
  now: number,
): Change<'announced' | 'consumed' | 'full' | 'unknown'> {
  if (!head) return { answer: 'unknown' };
  if (head.consumed.includes(eventId)) return { answer: 'consumed' };
  if (!head.inbox.includes(eventId) && head.inbox.length >= MAX_INBOX) return { answer: 'full' };
  return {
    head: {
      ...head,
      inbox: union(head.inbox, [eventId]),
      inboxSeq: head.inboxSeq + 1,
      dueAt: head.dueAt ?? now,
      sweepAt: head.sweepAt ?? sweepAtFor(now, now),
    },
    answer: 'announced',
  };
}

export function subscribe(head: Head | undefined, connectionId: string): Change<'subscribed' | 'unknown'> {
  if (!head) return { answer: 'unknown' };
  return { head: { ...head, subscribers: union(head.subscribers, [connectionId]) }, answer: 'subscribed' };
}

export function unsubscribe(head: Head | undefined, connectionId: string): Change<void> {
  if (!head) return { answer: undefined };
  return { head: { ...head, subscribers: without(head.subscribers, [connectionId]) }, answer: undefined };
}
