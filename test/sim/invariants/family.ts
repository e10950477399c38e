/** Invariants 42 to 44, 48 and 49: sessions that work for calls of others (docs/children.md). */

import type { Settled } from '../../../shared/agent/ports/callbacks.ts';
import { MAX_ALIVE, MAX_CHILDREN, MAX_DEPTH, type ParentCall } from '../../../shared/agent/session/parent.ts';
import type { Session } from '../../../shared/agent/session/session.ts';
import type { ToolResult, ToolsSlot } from '../../../shared/agent/session/slots.ts';
import type { Totals } from '../../../shared/contract/session.ts';
import { type Checks, type Claim, check, type SessionFacts } from '../ledger.ts';
import { SHAPE_AGENT, WIDTH } from '../shapes.ts';
import type { World } from '../world.ts';
import { type Committed, toolSlots } from './commits.ts';
import { asked as askedOf } from './controls.ts';
import { SKEW_MS } from './heads.ts';
import { runIdFor } from './prompts.ts';
import { checkSent } from './sent.ts';
import { answersWithSummary } from './wrap-up-below.ts';

/** A session that is to be begun for a call. */
export interface Begun {
  readonly facts: SessionFacts;
  readonly callId: string;
  readonly child: string;
  readonly depth: number;
  /** Number of the slot that has the call. */
  readonly slot: number;
  /** The room of the session that begins it. */
  readonly has: number;
}

export const beginChecks: Checks<Begun> = {
  '42 a call begins one session': ({ facts, callId, child }) => {
    const before = facts.children.get(callId);
    return before !== undefined && before !== child
      ? `${callId} began ${before}, and now ${child}`
      : undefined;
  },
  '42 a session is begun by one call': ({ facts, callId, child }) => {
    const other = [...facts.children].find(([id, one]) => one === child && id !== callId);
    return other && `${other[0]} and ${callId} both begin ${child}`;
  },
  '42 the children of a reply have no more room than their parent': ({ facts, slot, has }) => {
    const of = [...facts.rooms.values()].filter((one) => one.slot === slot);
    const all = of.reduce((sum, { room }) => sum + 1 + room, 0);
    return all > has ? `${of.length} children have ${all} of ${has}` : undefined;
  },
  '42 a tree has no more levels than it may': ({ callId, depth }) =>
    depth > MAX_DEPTH ? `${callId} begins a session on level ${depth}` : undefined,
  '42 a child is begun for a reply that is kept': ({ facts, callId }) => {
    const reply = facts.served.calls.get(callId);
    const kept = [...facts.durable.values()].some(({ text }) => text.includes(`"${callId}"`));
    return reply && !kept ? `${callId} begins a session, and its reply is not in the store` : undefined;
  },
};

/** A child whose model is asked. */
interface Asking {
  readonly claim: Claim;
  /** It was told to end after its summary. */
  readonly leaves: boolean;
  /** Event number at which the batch of its call was closed. */
  readonly closedAt: number | undefined;
}

export const askChecks: Checks<Asking> = {
  '43 no child works on when its call is over': ({ claim, closedAt, leaves }) =>
    closedAt !== undefined && !leaves && claim.claimedAt > closedAt && !claim.head.session.run?.ended
      ? `${claim.pk} asks its model, and its call was closed before`
      : undefined,
};

/** Checks a session that asks its model. */
export function childAsks(world: World, claim: Claim): void {
  const { parent } = claim.head.session;
  if (!parent || parent.background) return;
  const of = world.ledger.facts({ tenant: claim.key.tenant, sessionId: parent.sessionId });
  const facts = world.ledger.facts(claim.key);
  const runId = runIdFor(claim);
  const leaves = facts.leaving.has(runId) || askedOf(facts, claim.inbox, 'parent_cancel', runId).length > 0;
  check(world.ledger, askChecks, { claim, leaves, closedAt: of.closedCalls.get(parent.callId)?.events });
}

/** Much longer than any repair of a lost message takes, in ms. */
export const LATE_MS = 1_800_000;

/** Whether the call that a session works for has its result, or the session's time in the background is over. */
export const isOver = ({ memory, scheduler }: World, { key, parent }: Session): boolean =>
  parent !== undefined &&
  ((parent.background?.until ?? Number.POSITIVE_INFINITY) <= scheduler.now + SKEW_MS ||
    memory.table.settled.get(`${key.tenant}#${parent.sessionId}`)?.has(parent.id) === true);

/** The use that children of a batch have reported. */
const told = (results: readonly ToolResult[]): Totals[] => results.flatMap(({ child }) => child?.used ?? []);

export const familyCommitChecks: Checks<Committed> = {
  '44 a parent counts what its children have told, once': ({ before, after, slots, reported }) => {
    const now = [...reported, ...toolSlots(slots).flatMap(({ results }) => told(results))];
    const was = after.session.run?.id === before.session.run?.id ? before.session.run?.delegated : undefined;
    const is = after.session.run?.delegated;
    const due = now.reduce((sum, { input }) => sum + input, was?.input ?? 0);
    return (is?.input ?? 0) === due
      ? undefined
      : `${is?.input ?? 0} tokens are delegated, and ${due} were told`;
  },
  '44 an answer ends its wait': ({ facts, before, slots, now }) => {
    const late = toolSlots(slots)
      .flatMap(({ results }) => results)
      .find(({ callId, child }) => {
        const wait = before.session.batch?.waits.find((one) => one.callId === callId);
        const answeredAt = facts.answeredAt.get(callId);
        return (
          child &&
          wait &&
          before.pending.includes(wait.id) &&
          answeredAt !== undefined &&
          // A purge may take the message that would have repaired it.
          answeredAt > facts.purgedAt &&
          now - answeredAt > LATE_MS
        );
      });
    return late && !facts.purged
      ? `${late.callId} was answered long ago, and its wait was left to expire`
      : undefined;
  },
  '42 one reply begins no more than it may': ({ after }) => {
    const waits = after.session.batch?.waits.filter(({ kind }) => kind === 'child') ?? [];
    return waits.length > (after.session.agent === SHAPE_AGENT ? WIDTH : MAX_CHILDREN)
      ? `${waits.length} children of one reply`
      : undefined;
  },
};

/** At rest: each child that has ended has answered its call. */
export function checkFamilies(world: World): void {
  const { ledger, memory } = world;
  for (const { session } of memory.table.heads.values()) {
    const { parent, key, run } = session;
    if (!parent || !run?.ended) continue;
    const of = ledger.facts({ tenant: key.tenant, sessionId: parent.sessionId });
    const facts = ledger.facts(key);
    if (of.buriedAt !== undefined) {
      const endedAfter = (session.lastEnding?.at ?? 0) - of.buriedAt;
      if (session.state === 'completed' && endedAfter > LATE_MS && !facts.purged)
        ledger.violate('49 a deletion stops what works in the background', `${facts.pk} was completed`);
      continue;
    }
    const settled = memory.table.settled.get(of.pk)?.get(parent.id);
    // An accident of operation may take the message that would have repaired it.
    if (!settled && !facts.purged)
      ledger.violate('44 the end of a child reaches its parent', `${facts.pk} has not told`);
    const given = of.stored
      .filter((slot): slot is ToolsSlot => slot.kind === 'tools')
      .flatMap(({ results }) => results.filter(({ callId }) => callId === parent.callId));
    if (given.length > 1) ledger.violate('44 a call has one result', `${parent.callId} has ${given.length}`);
    const [result] = given;
    const isAnswer = settled?.result.child?.sessionId === key.sessionId && settled.digest !== undefined;
    const closed = of.closedCalls.get(parent.callId);
    const { at: endedAt = Number.POSITIVE_INFINITY } = session.lastEnding ?? {};
    if (closed && !parent.background && endedAt - closed.at > LATE_MS && !facts.purged)
      ledger.violate('51 a child whose call is over ends soon', `${facts.pk} ended long after that`);
    if (!isAnswer && closed && closed.at - endedAt > LATE_MS && !facts.purged && !of.purged)
      ledger.violate('44 the end of a child reaches its parent', `${facts.pk} ended long before its call`);
    if (isAnswer && result && result.child?.sessionId !== key.sessionId)
      ledger.violate(
        '44 the answer that stands is the result',
        `${parent.callId} is ${result.outcome} ${result.content}`,
      );
    if (isAnswer && JSON.stringify(settled.result.child?.used) !== JSON.stringify(run.totals))
      ledger.violate('44 a child answers when its run is over', `${facts.pk} had used more`);
    if (isAnswer && !answersWithSummary(world, session, settled.result.content))
      ledger.violate('51 a child that has summed up answers with that', facts.pk);
    if (parent.background) checkSent(world, session);
    if (parent.background) checkReport(world, session, parent, settled);
    if (
      isAnswer &&
      result &&
      !result.child?.background &&
      JSON.stringify(result.child?.used) !== JSON.stringify(settled.result.child?.used)
    )
      ledger.violate('44 a child tells all that it has used', parent.callId);
  }
  for (const { session } of memory.table.heads.values()) if (!session.parent) checkRoom(world, session);
}

/** At rest: a session that worked in the background has reported once, and quietly if it was stopped. */
function checkReport(
  world: World,
  { key, lastEnding }: Session,
  parent: ParentCall,
  settled?: Settled,
): void {
  const { ledger, memory } = world;
  const of = ledger.facts({ tenant: key.tenant, sessionId: parent.sessionId });
  const head = memory.table.heads.get(of.pk);
  if (!head || of.purged || ledger.facts(key).purged) return;
  if (head.session.background?.some(({ id }) => id === parent.id))
    ledger.violate('48 a report reaches its parent', `${of.pk} still expects ${key.sessionId}`);
  const inputs = of.stored.flatMap((slot) => (slot.kind === 'model' ? slot.input : []));
  const read = inputs.filter(
    ({ internal, text }) => internal?.reason === 'report' && text.includes(key.sessionId),
  );
  if (read.length > 1) ledger.violate('48 a report is read once', `${key.sessionId}: ${read.length} times`);
  const begun = of.stored.some(
    (slot) =>
      slot.kind === 'tools' &&
      slot.results.some(({ callId, child }) => callId === parent.callId && child?.background),
  );
  const isStopped = settled?.digest === undefined;
  if (begun && !isStopped && read.length === 0)
    ledger.violate('48 a report reaches its parent', `${of.pk} has not read that of ${key.sessionId}`);
  if (isStopped && read.length > 0)
    ledger.violate('49 a report of a stopped session is not read', `${of.pk} reads ${key.sessionId}`);
  const stoppedAt = of.stoppedBackground.get(parent.id);
  const { at: endedAt = 0 } = lastEnding ?? {};
  if (stoppedAt !== undefined && !isStopped && endedAt - stoppedAt > LATE_MS)
    ledger.violate('49 a cancel stops what works in the background', `${key.sessionId} ended long after it`);
}

/** Sessions of one tree that were begun and not over at the same time. */
function checkRoom(world: World, root: Session): void {
  if (world.workload.family === undefined) return;
  const most = world.ledger.facts(root.key).mostAlive;
  if (most > MAX_ALIVE) world.ledger.violate('42 a tree has no more sessions alive than it may', `${most}`);
}
