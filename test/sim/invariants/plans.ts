/** Invariant 36: a plan contains everything that its session has proposed, and its changes begin in order. */

import type { Slot } from '../../../shared/agent/session/slots.ts';
import type { Checks } from '../ledger.ts';
import type { Committed } from './commits.ts';

export const planChecks: Checks<Committed> = {
  '36 a plan is what was proposed, in its order': ({ slots, facts: { stored } }) => {
    for (const slot of slots) {
      if (slot?.kind !== 'model' || slot.made?.by !== 'plan') continue;
      const put = slot.made.content.map(({ input }) => callIn(input)).join();
      const before = stored.slice(0, slot.n);
      const proposed = proposedIn(before.slice(before.findLastIndex(isPlan) + 1)).join();
      if (put !== proposed) return `slot ${slot.n} is ${put}; ${proposed} were proposed`;
    }
    return undefined;
  },

  '36 no approved change is refused': ({ slots, facts: { approved } }) => {
    const refused = slots
      .flatMap((slot) => (slot?.kind === 'tools' && slot.made === 'plan' ? slot.results : []))
      .find(({ callId, outcome }) => outcome === 'refused' && approved.has(callId));
    return refused && `${refused.callId} was approved, and its result says: ${refused.content}`;
  },

  '36 no run completes with changes that people were not asked about': ({ after: { session } }) =>
    session.state === 'completed' && session.proposed
      ? `${session.proposed.changes.length} changes were not put to people`
      : undefined,
};

const isPlan = (slot: Slot): boolean => slot.kind === 'model' && slot.made?.by === 'plan';

/** The calls that slots have proposed, by their numbers. */
const proposedIn = (slots: readonly Slot[]): string[] =>
  slots
    .flatMap((slot) => (slot.kind === 'tools' ? slot.results : []))
    .flatMap(({ callId, proposed }) => (proposed === undefined ? [] : [{ callId, proposed }]))
    .sort((a, b) => a.proposed - b.proposed)
    .map(({ callId }) => callId);

/** The simulated model repeats a call's id in its arguments. */
const callIn = (input: unknown): string => String((input as { call?: unknown }).call);

/** A change of a plan that starts, and the changes of its plan that have begun by then. */
export interface StartedInPlan {
  readonly callId: string;
  /** Whether it has started before. */
  readonly again: boolean;
  /** The times at which later changes of its plan first started. */
  readonly laterSince: readonly number[];
  /** The time at which its start was recorded; undefined if it was not. */
  readonly recordedAt: number | undefined;
  readonly now: number;
}

/** Time for which HEAD's answer to an owner is valid, in ms: `STARTS_MS` of config/effects.ts. */
const COUNTS_MS = 5_000;

export const planStartChecks: Checks<StartedInPlan> = {
  // A successor does not wait for recorded calls. Such a call may begin as long as the permission from HEAD is valid.
  '36 the changes of a plan begin in their order': ({ callId, again, laterSince, recordedAt, now }) => {
    if (again || laterSince.length === 0) return undefined;
    const since = Math.min(...laterSince);
    return recordedAt !== undefined && recordedAt <= since && now - since <= COUNTS_MS
      ? undefined
      : `${callId} started ${now - since} ms after one that comes after it`;
  },
};
