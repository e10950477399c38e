import { dimensions } from '../../shared/agent/budgets/amount.ts';
import type { CommitRequest } from '../../shared/agent/ports/sessions.ts';
import { isAssessment, type Slot } from '../../shared/agent/session/slots.ts';
import { isAnswered } from '../../shared/agent/session/waits.ts';
import type { Totals } from '../../shared/contract/session.ts';
import type { Head } from '../../shared/memory/head.ts';
import { batchOf } from '../../shared/memory/table.ts';
import { holding } from './desk.ts';
import { heldBack, noFailures, withFailure } from './failures.ts';
import { answerChecks } from './invariants/answers.ts';
import { assessmentChecks } from './invariants/assessments.ts';
import { type Committed, commitChecks, toolSlots } from './invariants/commits.ts';
import { asked, noteControls, wrapUpChecks } from './invariants/controls.ts';
import { counterChecks } from './invariants/counters.ts';
import { endChecks, endsRun, peaceChecks } from './invariants/ends.ts';
import { familyCommitChecks, isOver } from './invariants/family.ts';
import { fileChecks, filesBySlot, isTold } from './invariants/files.ts';
import { foldChecks } from './invariants/folds.ts';
import { SKEW_MS } from './invariants/heads.ts';
import { orderChecks } from './invariants/order.ts';
import { outsideChecks } from './invariants/outside.ts';
import { packedChecks } from './invariants/packs.ts';
import { isPeace } from './invariants/peace.ts';
import { planChecks } from './invariants/plans.ts';
import { foldIn } from './invariants/prefix.ts';
import { proofChecks } from './invariants/proofs.ts';
import { shapeCommitChecks } from './invariants/shapes.ts';
import { timerChecks } from './invariants/timers.ts';
import { batchChecks } from './invariants/waits.ts';
import { checkWrapUpBelow } from './invariants/wrap-up-below.ts';
import { check, type SessionFacts } from './ledger.ts';
import type { Caller } from './network.ts';
import { type Account, book } from './served.ts';
import { observeRefusal } from './signs.ts';
import { limits } from './tools.ts';
import { isRepinned } from './workloads.ts';
import type { World } from './world.ts';

/** Observes a commit that was applied: its content, what it ends, and what is known from now on. */
export function committed(
  world: World,
  facts: SessionFacts,
  before: Head,
  head: Head,
  commit: CommitRequest,
  caller: Caller,
): void {
  const after = { ...head, tail: toldBy(facts, before, head) };
  const { ledger, memory, scheduler, faults } = world;
  const stored = memory.table.slots.get(facts.pk);
  const slots: (Slot | undefined)[] = [];
  for (let n = before.session.version; n < after.session.version; n++) slots.push(stored?.get(n)?.slot);
  const claim = ledger.claims.get(caller.id);
  for (const slot of slots) {
    if (slot) learn(facts, slot, world.scheduler.now);
    if (slot?.kind === 'model' && slot.reply) {
      const pinned = facts.served.replies.get(slot.reply.messageId)?.pinned;
      const held = holding(before.session);
      if (pinned !== undefined && !facts.pinned.has(held)) facts.pinned.set(held, pinned);
    }
    if (slot) book(facts.served, slot, claim?.lost ?? lostIn(slot).input, claim?.used ?? keptIn(slot));
  }
  const { batch } = after.session;
  if (claim && batch?.waits.some(isAnswered)) claim.waitsForAnswers = true;
  const kept = batch ? [...(memory.table.results.get(batchOf(facts.key, batch.slot))?.keys() ?? [])] : [];
  const reported = reportsIn(world, facts, before, commit);
  for (const used of reported) {
    addTo(facts, used);
    facts.delegated.input += used.input;
    facts.delegated.output += used.output;
  }
  const seen = {
    facts,
    before,
    after,
    slots,
    reported,
    kept,
    claim,
    now: scheduler.now,
    limits,
    listing: isRepinned(world.workload),
    context: world.workload.context,
    runBudget: world.workload.runBudget,
    letters: world.workload.letters,
  };
  check(ledger, commitChecks, seen);
  check(ledger, batchChecks, seen);
  check(ledger, planChecks, seen);
  countDelegated(seen, scheduler.events);
  check(ledger, familyCommitChecks, seen);
  if (world.workload.family) checkWrapUpBelow(world, seen);
  check(ledger, shapeCommitChecks, seen);
  check(ledger, counterChecks, seen);
  check(ledger, foldChecks, seen);
  check(ledger, assessmentChecks, seen);
  check(ledger, packedChecks, seen);
  const { room } = world.workload;
  check(ledger, fileChecks, { ...seen, blobs: ledger.blobs, room });
  // A commit may have several slots, and people can go back to each.
  for (const { slot, files } of filesBySlot(facts, { ...seen, room })) {
    if (slot?.workspace !== undefined) facts.trees.set(slot.workspace, files);
    facts.files = files;
  }
  facts.trees.set(after.session.workspace ?? '', facts.files);
  if (isTold(seen)) facts.restored = false;
  for (const { callId, outcome, content } of toolSlots(slots).flatMap(({ results }) => results)) {
    const moments = facts.rested.get(callId);
    const { inbox } = before;
    if (moments) check(ledger, timerChecks, { callId, moments, outcome, content, inbox, now: scheduler.now });
    const outside = facts.outside.get(callId);
    if (outside) check(ledger, outsideChecks, { callId, outcome, outside, claimedAt: claim?.claimedAt ?? 0 });
    const handed = facts.handed.get(callId);
    if (!handed) continue;
    handed.result = { outcome, content };
    check(ledger, answerChecks, { callId, handed });
  }
  check(ledger, orderChecks, { ...seen, skewMs: faults.profile.skew > 0 ? SKEW_MS : 0 });
  if (claim) observeRefusal(world, claim, caller);
  const parentCancelled = isParentCancelled(seen);
  noteControls(seen, commit.incorporated);
  cameTo(world, seen, parentCancelled);
  if (after.session.cancelSeen === after.cancelGen) {
    facts.cancelled = false;
    facts.cancelToldAt = undefined;
    facts.cancelToldMs = undefined;
  }
  facts.sent.clear();
  for (const { seq } of after.tail) facts.committedFrames.add(seq);
  for (const { seq, event } of after.tail)
    if (event.type === 'RUN_FINISHED') facts.finishedRuns.set(event.runId, seq);

  facts.committedEpochs.add(commit.epoch);
  facts.committers.add(caller.id);
  facts.lastCommit = claim && { by: caller.id, claim };
  facts.asked = 0;
  facts.committedEpoch = commit.epoch;
  facts.notBeforeSince = scheduler.events;
  facts.notBefore = after.session.run?.ended ? 0 : (claim?.waitUntil ?? 0);
  const { run } = after.session;
  const isStopped = run?.ended && after.session.cancelSeen > before.session.cancelSeen;
  for (const { id } of isStopped ? (after.session.background ?? []) : [])
    if (!facts.stoppedBackground.has(id)) facts.stoppedBackground.set(id, scheduler.now);
  if (run?.ended) facts.endedRuns.add(run.id);
  const replied = slots.some((slot) => slot?.kind === 'model' && slot.reply);
  // A fold may need no summary if none was available.
  const folded = after.session.fold?.slot !== before.session.fold?.slot;
  if (replied || folded || run?.ended) {
    facts.failures = noFailures;
    facts.heldBackSince = 0;
  } else if (claim?.unasked) {
    facts.failures = heldBack(facts.failures);
    facts.heldBackSince ||= scheduler.now;
  } else if (claim?.failed && claim.failed !== 'for_good')
    facts.failures = withFailure(facts.failures, claim.failed, claim.failedAt);
  // A session that is due later than a message can be delayed has no wake by design.
  if ((after.dueAt ?? 0) > scheduler.now + 870_000) facts.unsent = true;
}

/** The losses of earlier attempts that a step without a model call reports. */
const lostIn = (slot: Slot): Account => (slot.kind === 'model' && slot.lost) || { input: 0, output: 0 };

/** A kept fold or assessment reports what its dead owner used for a call that failed. */
const keptIn = (slot: Slot): Account => ({
  input: 0,
  output: foldIn(slot) || isAssessment(slot) ? lostIn(slot).output : 0,
});

/** The frames on HEAD that belong to this commit's step. Earlier ones may still wait there for the log. */
function toldBy(facts: SessionFacts, before: Head, { session, tail }: Head): Head['tail'] {
  if (session.eventSeq !== before.session.eventSeq) facts.toldBefore = before.session.eventSeq;
  return tail.filter(({ seq }) => seq > facts.toldBefore);
}

/** Whether the run has been told by now that its parent was cancelled. */
function isParentCancelled({ facts, before, after }: Committed): boolean {
  const runId = after.session.run?.id ?? '';
  return facts.leaving.has(runId) || asked(facts, before.inbox, 'parent_cancel', runId).length > 0;
}

/** The result of a commit, and the end of a run. */
function cameTo(world: World, seen: Committed, parentCancelled: boolean): void {
  const { ledger, workload } = world;
  const { facts } = seen;
  const peace = isPeace(world) && dimensions.every((d) => workload.tenantLimits[d] === 0);
  const mayFill = workload.context !== undefined || workload.letters > 0;
  const { answers, proves } = workload;
  const orphan = isOver(world, seen.after.session);
  const judged = {
    ...seen,
    cancelled: facts.cancelled,
    parentCancelled,
    orphan,
    peace,
    mayFill,
    answers,
    proves,
  };
  check(ledger, peaceChecks, judged);
  if (!endsRun(seen)) return;
  check(ledger, wrapUpChecks, seen);
  check(ledger, endChecks, judged);
  check(ledger, proofChecks, judged);
}

type Cost = Pick<Totals, 'input' | 'output' | 'costUsd'>;

function addTo({ totals }: SessionFacts, cost: Cost): void {
  totals.input += cost.input;
  totals.output += cost.output;
  // Its prices make every call cost whole millionths.
  totals.costUsd = Math.round((totals.costUsd + cost.costUsd) * 1e6) / 1e6;
}

/** The use of sessions in the background whose reports a commit takes, of those that were expected. */
function reportsIn({ memory }: World, { pk }: SessionFacts, before: Head, { incorporated }: CommitRequest) {
  const events = memory.table.events.get(pk);
  return incorporated.flatMap((id) => {
    const report = events?.get(id)?.report;
    return report && before.session.background?.some((child) => child.id === report.id) ? [report.used] : [];
  });
}

function learn(facts: SessionFacts, slot: Slot, now: number): void {
  const text = JSON.stringify(slot);
  facts.slots[slot.n] = text;
  facts.stored[slot.n] = JSON.parse(text);
  const add = (cost: Cost) => addTo(facts, cost);
  if (slot.kind === 'tools') {
    for (const { child } of slot.results) if (child?.used) add(child.used);
    return;
  }
  for (const { eventId } of slot.input) {
    if (!eventId || facts.incorporated.has(eventId)) continue;
    facts.incorporated.set(eventId, slot.n);
    facts.incorporatedAt.set(eventId, now);
  }
  const bought = slot.reply ?? slot.fold?.summary ?? slot.assessment?.bought;
  const costs = [bought && { ...bought.usage, costUsd: bought.costUsd }, slot.lost];
  for (const cost of costs) if (cost) add(cost);
}

/** Records what the children of a batch have told, and that their calls are over. */
function countDelegated({ facts, slots, now: at }: Committed, events: number): void {
  for (const { callId, child } of toolSlots(slots).flatMap(({ results }) => results)) {
    if (facts.children.has(callId)) facts.closedCalls.set(callId, { events, at });
    facts.delegated.input += child?.used?.input ?? 0;
    facts.delegated.output += child?.used?.output ?? 0;
  }
}
