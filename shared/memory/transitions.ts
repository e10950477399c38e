/**
 * The effect of each operation on a HEAD, as data: (the item, a request) to (the next item, the answer). The conditions
 * are those of `shared/aws/sessions.ts`, clause by clause and in the same order.
 */

import { own } from '../agent/plain/merge.ts';
import type { Fence } from '../agent/ports/fence.ts';
import { MAX_INBOX } from '../agent/ports/inbox.ts';
import type {
  BeginResult,
  ClaimRequest,
  ClaimResult,
  CommitRequest,
  CommitResult,
  SubscribeResult,
} from '../agent/ports/sessions.ts';
import { MAX_FORKS, MAX_SUBSCRIBERS } from '../agent/ports/sessions.ts';
import type { Session } from '../agent/session/session.ts';
import type { CallStart, Decision } from '../agent/session/waits.ts';
import { timesOf } from '../agent/session/wake.ts';
import { copy, keep } from './copy.ts';
import { dueNow, type Head, toFence, toView, union, without } from './head.ts';

/** If `head` is absent, nothing is written: the condition did not hold. */
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
  return { answer: { kind: 'early', dueAt: head.dueAt, view: toView(head) } };
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
  const {
    epoch,
    seen,
    session,
    incorporated,
    unmarked,
    known,
    next,
    waits,
    forgotten = [],
    intents,
    tail,
    now,
  } = request;
  const held = head.epoch === epoch && head.owner !== undefined;
  const mustHaveSeenAll = next.kind === 'rest' || next.kind === 'wait_for_people';
  const nothingUnseen = !mustHaveSeenAll || head.inboxSeq === seen.inboxSeq;
  if (held && head.cancelGen === seen.cancelGen && nothingUnseen) {
    const { owner, ownerMessageId, dueAt, sweepAt, backstopAt, known: _known, ...rest } = head;
    const committed: Head = {
      ...rest,
      session: keep(session),
      leaseUntil: 0,
      attempts: 0,
      intents: intents === 'keep' ? head.intents : {},
      consumed: union(incorporated, unmarked),
      ...(known && { known: keep(known) }),
      inbox: without(head.inbox, incorporated),
      revoked: without(head.revoked, forgotten),
      tail: keep(tail),
      ...(waits !== 'keep' && { pending: union([], waits), decisions: {}, starts: {} }),
      ...timesOf(next, now),
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
  if (head.sweepAt === undefined && !head.session.background) return { answer: 'idle' };
  return { head: { ...head, cancelGen: head.cancelGen + 1, ...dueNow(now) }, answer: 'cancelled' };
}

export function knock(head: Head | undefined, now: number): Change<'knocked' | 'idle' | 'unknown'> {
  if (!head) return { answer: 'unknown' };
  if (head.sweepAt === undefined) return { answer: 'idle' };
  const times = head.dueAt === undefined && dueNow(now);
  return { head: { ...head, inboxSeq: head.inboxSeq + 1, ...times }, answer: 'knocked' };
}

export function restore(
  head: Head | undefined,
  seen: Session,
  { workspace, nudges }: Pick<Session, 'workspace' | 'nudges'>,
): Change<'restored' | 'busy' | 'unknown'> {
  if (!head) return { answer: 'unknown' };
  const { session } = head;
  const isAsSeen =
    session.version === seen.version && JSON.stringify(session.nudges) === JSON.stringify(seen.nudges);
  if (head.sweepAt !== undefined || !isAsSeen) return { answer: 'busy' };
  const { workspace: _before, ...rest } = session;
  const restored = { ...rest, nudges: keep(nudges), ...(workspace && { workspace }) };
  return { head: { ...head, session: restored }, answer: 'restored' };
}

export function revoke(head: Head | undefined, grantId: string): Change<'revoked' | 'unknown'> {
  if (!head) return { answer: 'unknown' };
  return { head: { ...head, revoked: union(head.revoked, [grantId]) }, answer: 'revoked' };
}

/** Whether HEAD knows that a slot has the event. */
const isIncorporated = ({ consumed, known }: Head, eventId: string): boolean =>
  consumed.includes(eventId) || known?.ids.includes(eventId) === true;

/** Tells the session of an accepted event. */
export function announce(
  head: Head | undefined,
  eventId: string,
  now: number,
  max = MAX_INBOX,
): Change<'announced' | 'consumed' | 'full' | 'unknown'> {
  if (!head) return { answer: 'unknown' };
  if (isIncorporated(head, eventId)) return { answer: 'consumed' };
  const hasRoom = !head.overflow && head.inbox.length < max;
  if (!head.inbox.includes(eventId) && !hasRoom) return { answer: 'full' };
  return {
    head: {
      ...head,
      inbox: union(head.inbox, [eventId]),
      inboxSeq: head.inboxSeq + 1,
      ...(head.dueAt === undefined && dueNow(now)),
    },
    answer: 'announced',
  };
}

/** Tells the session that an event waits for room in its inbox. */
export function announceOverflow(
  head: Head | undefined,
  eventId: string,
  now: number,
): Change<'announced' | 'consumed' | 'unknown'> {
  if (!head) return { answer: 'unknown' };
  const { inboxSeq, dueAt } = head;
  if (isIncorporated(head, eventId)) return { answer: 'consumed' };
  const times = dueAt === undefined && dueNow(now);
  return { head: { ...head, overflow: true, inboxSeq: inboxSeq + 1, ...times }, answer: 'announced' };
}

/** Moves waiting events into the inbox, for the owner. `isAll`: these are all, unless another one has come since. */
export function refill(
  head: Head | undefined,
  { epoch, inboxSeq }: Fence,
  ids: readonly string[],
  isAll: boolean,
): Change<Fence | undefined> {
  const isOwned = head?.epoch === epoch && head.owner !== undefined;
  if (!isOwned) return { answer: undefined };
  const { overflow, ...rest } = head;
  const isEmpty = isAll && head.inboxSeq === inboxSeq;
  const refilled = { ...(isEmpty ? rest : head), inbox: union(head.inbox, ids) };
  return { head: refilled, answer: toFence(refilled) };
}

/** A person's decision resolves its wait, once. */
export function decide(
  head: Head | undefined,
  waitId: string,
  decision: Decision,
): Change<'decided' | 'busy' | 'closed' | 'unknown'> {
  if (!head) return { answer: 'unknown' };
  if (head.pending.includes(waitId) && head.owner === undefined) {
    const decided = {
      ...head,
      pending: without(head.pending, [waitId]),
      decisions: { ...head.decisions, [waitId]: keep(decision) },
      ...dueNow(decision.at),
    };
    return { head: decided, answer: 'decided' };
  }
  if (head.pending.includes(waitId)) return { answer: 'busy' };
  const kept = own(head.decisions, waitId);
  return { answer: kept && isSameDecision(kept, decision) ? 'decided' : 'closed' };
}

const isSameDecision = (a: Decision, b: Decision) =>
  a.approved === b.approved &&
  a.by === b.by &&
  a.at === b.at &&
  a.note === b.note &&
  JSON.stringify([a.grant, a.changes, a.caller]) === JSON.stringify([b.grant, b.changes, b.caller]);

/** A worker begins a queued call. */
export function beginCall(
  head: Head | undefined,
  waitId: string,
  start: CallStart,
  again: boolean,
  now: number,
): Change<BeginResult> {
  if (!head?.pending.includes(waitId) || head.cancelGen !== head.session.cancelSeen)
    return { answer: { kind: 'closed' } };
  const before = own(head.starts, waitId);
  if (head.owner === undefined && (!before || (again && before.until <= now))) {
    const begun = { ...head, starts: { ...head.starts, [waitId]: keep(start) } };
    return { head: begun, answer: { kind: 'begun' } };
  }
  if (before?.invocationId === start.invocationId) return { answer: { kind: 'begun' } };
  if (head.owner !== undefined || !before) return { answer: { kind: 'closed' } };
  if (before.until <= now) return { answer: { kind: 'died' } };
  return { answer: { kind: 'running', until: before.until } };
}

/** A queued call has its result. */
export function finishCall(
  head: Head | undefined,
  waitId: string,
  now: number,
): Change<'last' | 'more' | 'closed'> {
  if (!head?.pending.includes(waitId)) return { answer: 'closed' };
  const pending = without(head.pending, [waitId]);
  if (pending.length > 0) return { head: { ...head, pending }, answer: 'more' };
  return { head: { ...head, pending, ...dueNow(now) }, answer: 'last' };
}

/** The answer to a call has arrived from outside. */
export function resolve(head: Head | undefined, waitId: string, now: number): Change<'resolved' | 'closed'> {
  if (!head?.pending.includes(waitId)) return { answer: 'closed' };
  const pending = without(head.pending, [waitId]);
  return { head: { ...head, pending, inboxSeq: head.inboxSeq + 1, ...dueNow(now) }, answer: 'resolved' };
}

/** An overdue session becomes due, even if it only waited for people until now; the sweeper looks again at `until`. */
export function postpone(head: Head | undefined, now: number, until: number): Change<void> {
  if (head?.sweepAt === undefined || head.sweepAt > now) return { answer: undefined };
  return {
    head: { ...head, dueAt: head.dueAt ?? now, sweepAt: until, backstopAt: until },
    answer: undefined,
  };
}

export function addFork(head: Head | undefined, forkId: string): Change<'added' | 'full' | 'unknown'> {
  if (!head) return { answer: 'unknown' };
  const { forks } = head;
  if (!forks.includes(forkId) && forks.length >= MAX_FORKS) return { answer: 'full' };
  return { head: { ...head, forks: union(forks, [forkId]) }, answer: 'added' };
}

export function removeFork(head: Head | undefined, forkId: string): Change<void> {
  if (!head) return { answer: undefined };
  return { head: { ...head, forks: without(head.forks, [forkId]) }, answer: undefined };
}

export function subscribe(head: Head | undefined, connectionId: string): Change<SubscribeResult> {
  if (!head) return { answer: { kind: 'unknown' } };
  const { subscribers } = head;
  if (!subscribers.includes(connectionId) && subscribers.length >= MAX_SUBSCRIBERS)
    return { answer: { kind: 'full', subscribers: copy(subscribers) } };
  const subscribed = { ...head, subscribers: union(subscribers, [connectionId]) };
  return { head: subscribed, answer: { kind: 'subscribed' } };
}

export function unsubscribe(head: Head | undefined, connectionId: string): Change<void> {
  if (!head) return { answer: undefined };
  return { head: { ...head, subscribers: without(head.subscribers, [connectionId]) }, answer: undefined };
}
