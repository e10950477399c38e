import type { CommitRequest } from '../../shared/agent/ports/sessions.ts';
import { LATE_MS } from '../../shared/agent/session/known.ts';
import type { Slot } from '../../shared/agent/session/slots.ts';
import type { Decision, Wait } from '../../shared/agent/session/waits.ts';
import type { Frame } from '../../shared/contract/events.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import type { Head } from '../../shared/memory/head.ts';
import { definitionOf } from '../../shared/memory/table.ts';
import { observeMade } from './deleters.ts';
import { born } from './forkers.ts';
import { leaveChecks } from './invariants/calls.ts';
import { claimedDeleted } from './invariants/deleted.ts';
import { headChecks, SKEW_MS } from './invariants/heads.ts';
import { takenOver } from './invariants/peace.ts';
import { takeoverChecks } from './invariants/takeovers.ts';
import { waitChecks } from './invariants/waits.ts';
import { check, type SessionFacts } from './ledger.ts';
import type { Caller } from './network.ts';
import { committed } from './observe-commits.ts';
import { notePlan } from './served.ts';
import type { World } from './world.ts';

/** The operation that changes HEADs now. */
export interface Acting {
  readonly caller: Caller;
  readonly commit: CommitRequest | undefined;
  /** Epoch of a heartbeat. */
  readonly extending: number | undefined;
}

/** Observes every write of a HEAD in the table, whichever operation makes it, and checks it. */
export function observeHeads(world: World, acting: () => Acting | undefined): void {
  const { heads } = world.memory.table;
  const write = heads.set.bind(heads);
  heads.set = (pk, after) => {
    const before = heads.get(pk);
    if (!before) observeMade(world, pk);
    write(pk, after);
    if (!before) born(world, after);
    else changed(world, world.ledger.facts(after.session.key), before, after, acting());
    return heads;
  };
}

function changed(
  world: World,
  facts: SessionFacts,
  before: Head,
  after: Head,
  acting: Acting | undefined,
): void {
  const { ledger, scheduler } = world;
  const commit = acting?.commit;
  const now = scheduler.now;
  const change = { facts, before, after, commit, now };
  check(ledger, headChecks, change);
  check(ledger, waitChecks, change);
  if (after.epoch !== before.epoch && acting) {
    takenOver(world, facts.pk, before);
    claimed(world, facts, after, acting.caller);
  } else if (commit) committed(world, facts, before, after, commit, acting.caller);
  else if (after.leaseUntil !== before.leaseUntil) extended(world, before, acting?.extending);
  if (after.intents !== before.intents && !commit) fenced(world, facts, before, after);
  if (!commit) waitsChanged(world, facts, before, after, acting);
  if (after.inboxSeq !== before.inboxSeq || after.cancelGen !== before.cancelGen) facts.unsent = true;
  // The sweeper makes sessions that only waited for people due before it sends the wake.
  if (!commit && before.dueAt === undefined && after.dueAt !== undefined) facts.unsent = true;
  if (!commit && after.decisions !== before.decisions) facts.unsent = true;
  world.nemesis.headChanged(facts.pk, after);
}

/** Calls of a session for which an answer, or the lack of one, stands. */
export const settledIn = ({ memory }: Pick<World, 'memory'>, pk: string): Set<string> =>
  new Set([...(memory.table.settled.get(pk)?.values() ?? [])].map(({ result }) => result.callId));

function claimed(world: World, facts: SessionFacts, head: Head, { id }: Caller): void {
  const { ledger, began, older, queue, scheduler, memory } = world;
  claimedDeleted(world, facts, id);
  if (older.has(id)) facts.older = true;
  facts.purged = !queue.has(head.ownerMessageId ?? '');
  const pinned = memory.table.definitions.get(definitionOf(facts.key.tenant, head.session.definition));
  const charges = pinned?.guardrails.budget.chargeLostAttempts ?? true;
  ledger.claims.set(id, {
    epoch: head.epoch,
    key: facts.key,
    pk: facts.pk,
    head,
    inbox: head.inbox,
    beganAt: began.get(id) ?? 0,
    claimedAt: scheduler.events,
    stopKnownAt: undefined,
    older: older.has(id),
    answered: false,
    failed: undefined,
    failedAt: 0,
    unasked: false,
    waitUntil: 0,
    waitsForAnswers: false,
    sends: 0,
    unkept: new Set(),
    died: head.epoch - facts.committedEpoch - 1,
    charges,
    lost: undefined,
    used: undefined,
    turns: new Map(),
    settled: settledIn(world, facts.pk),
    repliedAt: 0,
    request: undefined,
  });
}

function extended({ ledger }: World, before: Head, epoch: number | undefined): void {
  if (epoch !== before.epoch || before.owner === undefined)
    ledger.violate('5 only the owner extends a lease', `epoch ${epoch} prolonged that of ${before.epoch}`);
}

function fenced({ ledger, scheduler }: World, facts: SessionFacts, before: Head, after: Head): void {
  for (const [callId, epoch] of Object.entries(after.intents)) {
    if (before.intents[callId] === epoch) continue;
    if (before.owner === undefined || before.epoch !== epoch)
      ledger.violate('13 only the owner records intents', `${callId} by epoch ${epoch}, not ${before.epoch}`);
    if (before.cancelGen > before.session.cancelSeen)
      ledger.violate('18 nothing starts after a cancel', `${callId} was recorded after a cancel`);
    if (facts.fenced.has(callId)) ledger.violate('13 an intent is recorded once', callId);
    facts.fenced.set(callId, scheduler.now);
  }
}

/** Starts of queued calls, and decisions: both happen once, and while the session waits. */
function waitsChanged(
  world: World,
  facts: SessionFacts,
  before: Head,
  after: Head,
  acting: Acting | undefined,
): void {
  const { ledger } = world;
  takenOut(world, facts, before, after, acting?.caller.id);
  if (before.pending.length > 0 && after.pending.length === 0) facts.takenOutAt = world.scheduler.events;
  const callOf = (waitId: string) =>
    after.session.batch?.waits.find(({ id }) => id === waitId)?.callId ?? `wait ${waitId}`;
  for (const [waitId, start] of Object.entries(after.starts)) {
    if (before.starts[waitId] === start || sameStart(before.starts[waitId], start)) continue;
    if (before.cancelGen > before.session.cancelSeen)
      ledger.violate('18 nothing starts after a cancel', `${callOf(waitId)} began after a cancel`);
    if (before.owner !== undefined)
      ledger.violate('20 nothing begins while its batch is closed', `${callOf(waitId)} began`);
    facts.fenced.set(callOf(waitId), world.scheduler.now);
    const starters = facts.starters.get(waitId) ?? new Set();
    facts.starters.set(waitId, starters.add(start.invocationId));
  }
  for (const [waitId, decision] of Object.entries(after.decisions)) {
    const known = before.decisions[waitId];
    if (known && JSON.stringify(known) !== JSON.stringify(decision))
      ledger.violate('19 a decision stands', `${callOf(waitId)} was decided again`);
    if (!known && before.owner !== undefined)
      ledger.violate('19 no decision is made while its batch is closed', callOf(waitId));
    const wait = after.session.batch?.waits.find(({ id }) => id === waitId);
    if (!known && wait && wait.expiresAt <= decision.at)
      ledger.violate('19 no decision is made after the time', `${wait.callId} had expired`);
    if (wait?.kind === 'call')
      ledger.violate('19 people decide on what they were asked', `${callOf(waitId)} is a queued call`);
    if (decision.approved) facts.approved.add(callOf(waitId));
    if (decision.approved && wait?.kind === 'plan') approvePlan(facts, after, wait, decision);
    if (!known && decision.approved && decision.grant && wait) {
      const { grant, at } = decision;
      facts.granted.set(waitId, { grant, at, tool: wait.tool, run: after.session.run?.id, calls: new Set() });
    }
  }
}

/** Approves the calls of a plan by their numbers. The id of each contains its number. */
function approvePlan(
  { approved }: SessionFacts,
  { session: { batch } }: Head,
  { changes = [], callId }: Wait,
  decision: Decision,
): void {
  approved.delete(callId);
  for (const n of decision.changes ?? changes.map((_, i) => i + 1))
    approved.add(`change_${n}_${batch?.slot}`);
}

/**
 * A call is taken out by its worker, or by another one when that one is certainly dead. An earlier worker of a call
 * that may begin again can also do it: its last request may land late, and its result is kept.
 */
function takenOut(
  { ledger, scheduler }: World,
  { starters }: SessionFacts,
  before: Head,
  after: Head,
  id = '',
): void {
  for (const waitId of before.pending.filter((one) => !after.pending.includes(one))) {
    const start = before.starts[waitId];
    if (start && !starters.get(waitId)?.has(id) && start.until > scheduler.now + SKEW_MS)
      ledger.violate('20 a call that runs is not given up', `${waitId} runs in ${start.invocationId}`);
  }
}

const sameStart = (a: Head['starts'][string] | undefined, b: Head['starts'][string]) =>
  a?.invocationId === b?.invocationId;

/**
 * Observes a text that arrives at the store, before the store judges it. A sender may change it before the first one
 * arrives.
 */
export function observeArrival({ events }: SessionFacts, eventId: string, text: string): void {
  const sent = events.get(eventId);
  if (sent && !sent.arrived) events.set(eventId, { ...sent, text, arrived: true });
}

/**
 * Observes a write that tells HEAD of an event. A request that the SDK has given up may land after its repetition has brought the
 * event into a slot. It must wake no step: its wake was sent for the repetition, and is settled.
 */
export function observeTell<T>(
  { memory, ledger, scheduler }: World,
  facts: SessionFacts,
  eventId: string,
  write: () => T,
): T {
  const isDue = () => memory.table.heads.get(facts.pk)?.dueAt !== undefined;
  const before = isDue();
  const answer = write();
  const passed = scheduler.now - (facts.incorporatedAt.get(eventId) ?? Number.NEGATIVE_INFINITY);
  if (!before && isDue() && passed < LATE_MS - 2 * SKEW_MS)
    ledger.violate(
      '16 a late request makes no session due',
      `${facts.pk}: ${eventId} was in a slot for ${passed} ms`,
    );
  return answer;
}

/**
 * Observes a push of a step. Clients drop what they have, so frames that come twice would show nowhere else. A connection that
 * subscribes during the step, again or for the first time, may get its newest frame again ({@link observeSubscription}).
 */
export function observePush({ ledger }: World, by: string, connection: string, data: string): void {
  const claim = ledger.claims.get(by);
  if (!claim?.head.subscribers.includes(connection)) return;
  const byStep = ledger.pushed.get(connection) ?? new Map<string, Set<number>>();
  ledger.pushed.set(connection, byStep);
  const pushed = byStep.get(by) ?? new Set();
  byStep.set(by, pushed);
  for (const { seq } of (JSON.parse(data) as { frames: readonly Frame[] }).frames) {
    if (pushed.has(seq))
      ledger.violate('21 a step pushes each frame once', `${seq} by ${by} to ${connection}`);
    pushed.add(seq);
  }
}

/**
 * Observes a subscription or its end. Pushes before it do not count: a client that subscribes reads the log, and a step may learn late
 * that one has left.
 */
export const observeSubscription = ({ ledger }: World, connection: string): void =>
  void ledger.pushed.delete(connection);

/** Observes frames that reach the log. */
export function observeLog(
  { ledger, scheduler }: World,
  key: SessionKey,
  by: Caller,
  frames: readonly Frame[],
): void {
  const facts = ledger.facts(key);
  check(ledger, takeoverChecks, { facts, claim: ledger.claims.get(by.id), frames });
  for (const frame of frames)
    if (!facts.log.has(frame.seq)) facts.log.set(frame.seq, { ...frame, at: scheduler.events });
}

/** Observes a slot that was put. Invariant 4: a committed slot never changes. */
export function observeSlot(
  { ledger, memory, scheduler }: World,
  key: SessionKey,
  epoch: number,
  slot: Slot,
  answer: 'put' | 'superseded',
): void {
  if (answer === 'superseded') return;
  const facts = ledger.facts(key);
  // It is never read, and waits to be erased.
  if (facts.buriedAt !== undefined) return;
  const committed = facts.slots[slot.n];
  const stored = JSON.stringify(memory.table.slots.get(facts.pk)?.get(slot.n)?.slot);
  if (committed !== undefined && committed !== stored)
    ledger.violate('4 committed slots never change', `slot ${slot.n}: ${committed} became ${stored}`);
  if (slot.kind !== 'model') {
    if (!facts.batches.has(slot.n)) facts.batches.set(slot.n, scheduler.events);
    return;
  }
  if (slot.made?.by === 'plan') notePlan(facts.served, slot.runId, slot.made);
  // A fold and an assessment are kept before they are used, as a reply is.
  if (!slot.reply && !slot.fold && !slot.assessment && !slot.made) facts.durable.delete(slot.n);
  else {
    const { runId, step, leaves = {} } = slot;
    for (const [callId, leave] of Object.entries(leaves)) {
      if (!facts.leaves.has(callId)) check(ledger, leaveChecks, { callId, leave, now: scheduler.now });
      facts.leaves.set(callId, { runId, leave });
    }
    const known = facts.durable.get(slot.n);
    const text = JSON.stringify(slot.reply?.content ?? slot.made?.content ?? slot.fold ?? slot.assessment);
    if (known?.text !== text) facts.durable.set(slot.n, { runId, step, epoch, at: scheduler.events, text });
  }
}
