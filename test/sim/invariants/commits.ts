/** Invariants of a commit and the slots it commits: 4, 6, 8, 11, 13, 15, 18, 21, 22, 24. */

import { callingOf } from '../../../shared/agent/session/made.ts';
import type { ModelSlot, Slot, ToolsSlot } from '../../../shared/agent/session/slots.ts';
import type { Frame } from '../../../shared/contract/events.ts';
import type { Totals } from '../../../shared/contract/session.ts';
import type { Head } from '../../../shared/memory/head.ts';
import { failedBefore } from '../failures.ts';
import type { Checks, Claim, SessionFacts } from '../ledger.ts';
import type { ContextWorkload, RunBudget } from '../workloads.ts';
import { isParked, SKEW_MS } from './heads.ts';

/** A commit that was applied. */
export interface Committed {
  readonly facts: SessionFacts;
  readonly before: Head;
  readonly after: Head;
  /** Slots from the old version to the new one; undefined for missing ones. */
  readonly slots: readonly (Slot | undefined)[];
  /** The use of sessions in the background whose reports it counts. */
  readonly reported: readonly Totals[];
  /** Calls of the currently open batch with a result in the store. */
  readonly kept: readonly string[];
  readonly claim: Claim | undefined;
  readonly now: number;
  readonly limits: { readonly outageSeconds: number };
  /** Tools are listed when a session begins, which gives it a different definition from the one it was created with. */
  readonly listing: boolean;
  readonly context: ContextWorkload | undefined;
  readonly runBudget: RunBudget | undefined;
  /** Characters of the largest messages. */
  readonly letters: number;
}

const modelSlots = (slots: Committed['slots']): ModelSlot[] => slots.filter((slot) => slot?.kind === 'model');
export const toolSlots = (slots: Committed['slots']): ToolsSlot[] =>
  slots.filter((slot) => slot?.kind === 'tools');

/** The agent that a committed batch gives the session to. */
function handedTo(slots: Committed['slots']) {
  const [found] = toolSlots(slots).flatMap((batch) =>
    batch.results.flatMap(({ handedTo: to }) => (to ? [{ batch, to }] : [])),
  );
  return found;
}

export const commitChecks: Checks<Committed> = {
  '6 every committed slot exists': ({ slots, before }) => {
    const missing = slots.indexOf(undefined);
    return missing < 0 ? undefined : `slot ${before.session.version + missing} is committed and missing`;
  },

  '7 the rules of a run stay as they are': ({ facts, before, after, slots, listing, claim }) => {
    const { run, definition, version } = before.session;
    const spoke = facts.slots.slice(0, version).some((slot) => slot.includes('"reply":{'));
    if (listing && !spoke) return undefined;
    // Its tools change if the server has refused one of them.
    if (claim && facts.spareRefused.has(claim.epoch)) return undefined;
    if (handedTo(slots)) return undefined;
    return run && !run.ended && after.session.definition !== definition
      ? `${run.id} began under ${definition}, and goes on under ${after.session.definition}`
      : undefined;
  },

  '52 a session belongs to the agent that it was given to': ({ before, after, slots }) => {
    const { batch, to } = handedTo(slots) ?? {};
    const { agent, definition, handoffs = [], run } = after.session;
    if (!to)
      return agent === before.session.agent && handoffs.length === (before.session.handoffs ?? []).length
        ? undefined
        : `${before.session.agent} had it, and no call gave it to ${agent}`;
    if (agent !== to.agent || definition !== to.definition)
      return `slot ${batch?.n} gives it to ${to.agent}, and ${agent} has it`;
    if (before.session.agent === agent) return `${agent} gave it to itself`;
    const last = handoffs.at(-1);
    if (last?.from !== before.session.agent || last.below !== (batch?.n ?? 0) + 1)
      return `it is remembered as ${JSON.stringify(last)}`;
    const already = before.session.run?.id === run?.id ? (before.session.run?.handoffs ?? 0) : 0;
    return run?.handoffs === already + 1
      ? undefined
      : `${run?.handoffs} handoffs are counted after ${already}`;
  },

  '8 a batch answers its reply': ({ slots, facts }) => {
    for (const batch of toolSlots(slots)) {
      const stored: Slot = JSON.parse(facts.slots[batch.n - 1] ?? '{}');
      const reply = callingOf(stored);
      const asked = (reply?.content ?? [])
        .filter(({ type }) => type === 'tool_use')
        .map(({ id }) => String(id));
      const given = batch.results.map(({ callId }) => callId);
      if (asked.join() !== given.join())
        return `slot ${batch.n}: asked ${asked.join()}, answered ${given.join()}`;
    }
    return undefined;
  },

  '8 calls do not stay unanswered': ({ slots, after }) => {
    for (const slot of modelSlots(slots)) {
      const { n } = slot;
      const asks = callingOf(slot)?.content.some(({ type }) => type === 'tool_use');
      const open = after.session.batch?.slot === n;
      if (asks && !open && !toolSlots(slots).some((batch) => batch.n === n + 1))
        return `slot ${n} has no batch`;
    }
    return undefined;
  },

  '24 an outage is outlasted': ({ facts, after, claim, limits }) => {
    const { run, reason } = after.session;
    const gaveUp = reason === 'provider_error' || reason === 'tool_error';
    if (!run?.ended || !gaveUp || !claim?.failed || claim.failed === 'for_good') return undefined;
    const { kinds, since } = failedBefore(facts.failures, claim.failed);
    const lasted = since === 0 ? 0 : claim.failedAt - since;
    return lasted < limits.outageSeconds * 1000 - 2 * SKEW_MS
      ? `the run ended ${lasted} ms after the first of ${kinds.length + 1} failures`
      : undefined;
  },

  '18 a truncated reply ends its run': ({ slots, after }) => {
    const cut = modelSlots(slots).find(({ reply }) => reply?.stop === 'interrupted');
    return cut && after.session.reason !== 'cancelled' ? `slot ${cut.n} was cut without a cancel` : undefined;
  },

  '11 totals are the sum over slots': ({ facts, after }) => {
    const { totals } = after.session;
    const same =
      totals.input === facts.totals.input &&
      totals.output === facts.totals.output &&
      totals.costUsd === facts.totals.costUsd;
    return same ? undefined : `HEAD says ${JSON.stringify(totals)}, slots ${JSON.stringify(facts.totals)}`;
  },

  '13 a kept result is used': ({ slots, facts, claim }) => {
    for (const { n, results } of toolSlots(slots)) {
      // An adopted batch has what was known when it was put.
      if ((facts.batches.get(n) ?? 0) < (claim?.beganAt ?? 0)) continue;
      for (const { callId, outcome } of results) {
        const keptAt = facts.results.get(callId);
        if (facts.settledFirst.has(callId)) continue;
        if (outcome === 'unknown' && claim && keptAt !== undefined && keptAt < claim.beganAt)
          return `${callId} is told as unknown; its result was kept before this step began`;
      }
    }
    return undefined;
  },

  '13 a call that has run is not reported as not run': ({ slots, facts }) => {
    for (const { results } of toolSlots(slots)) {
      const wrong = results.find(
        ({ callId, outcome }) =>
          (outcome === 'cancelled' || outcome === 'refused') && facts.startedOnce.has(callId),
      );
      if (wrong) return `${wrong.callId} has started, and is told as ${wrong.outcome}`;
    }
    return undefined;
  },

  '15 an event is in one slot': ({ slots, facts, before }) => {
    const seen = new Set<string>();
    for (const { n, input } of modelSlots(slots)) {
      for (const { eventId, text } of input) {
        if (!eventId) continue;
        const earlier = facts.incorporated.get(eventId);
        if (seen.has(eventId) || (earlier !== undefined && earlier < before.session.version))
          return `${eventId} is in slot ${n} and in slot ${earlier}`;
        seen.add(eventId);
        const sent = facts.events.get(eventId);
        if (sent?.text !== text) return `${eventId} says "${text}" in slot ${n}; sent was "${sent?.text}"`;
      }
    }
    return undefined;
  },

  '21 the frames of a commit form one line': ({ before, after }) => {
    if (after.session.eventSeq < before.session.eventSeq) return 'the last seq fell';
    let last: Frame | undefined;
    for (const frame of after.tail) {
      if (last && (frame.seq <= last.seq || frame.prev !== last.seq))
        return `frame ${frame.seq} (prev ${frame.prev}) after ${last.seq}`;
      last = frame;
    }
    return undefined;
  },

  '22 no item is too large': ({ slots, after }) => {
    for (const slot of slots) if (JSON.stringify(slot).length > 350_000) return `slot ${slot?.n}`;
    return JSON.stringify(after.tail).length > 350_000 ? 'HEAD' : undefined;
  },

  '24 one terminal event ends a run': ({ before, after, facts }) => {
    const { run, eventSeq } = after.session;
    if (eventSeq === before.session.eventSeq) return undefined;
    const terminal = after.tail.filter(
      ({ event }) => event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR',
    );
    const ends = run?.ended || isParked(after) ? 1 : 0;
    if (terminal.length !== ends) return `${terminal.length} terminal events, run ended: ${ends === 1}`;
    return run?.ended && facts.endedRuns.has(run.id) ? `run ${run.id} ended again` : undefined;
  },

  // Each wait for people begins another AG-UI run (`publicRunId`).
  '24 an AG-UI run finishes once': ({ after, facts }) => {
    for (const { event, seq } of after.tail)
      if (event.type === 'RUN_FINISHED' && (facts.finishedRuns.get(event.runId) ?? seq) !== seq)
        return `run ${event.runId} has finished before`;
    return undefined;
  },

  '24 a run begins with an event': ({ facts, before, after, slots, claim }) => {
    const { run, version } = after.session;
    if (!run || run.id === before.session.run?.id || version === before.session.version) return undefined;
    // A fold takes nothing from the inbox, even if it was stopped.
    const folds = modelSlots(slots).some(({ fold }) => fold) || facts.stoppedSummary === claim?.epoch;
    return (folds && after.inbox.length > 0) ||
      modelSlots(slots).some(({ input }) => input.some(({ eventId }) => eventId))
      ? undefined
      : `run ${run.id} began with nothing`;
  },

  '24 a run that continues has not ended': ({ after }) =>
    after.sweepAt === undefined && after.session.run && !after.session.run.ended
      ? `at rest, and run ${after.session.run.id} has not ended`
      : undefined,
};
