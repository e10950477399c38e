/** Invariant 36: a plan is all of what its session has proposed, and its changes begin in their order. */

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

  '36 what was approved is not refused': ({ slots, facts: { approved } }) => {
    const refused = slots
      .flatMap((slot) => (slot?.kind === 'tools' && slot.made === 'plan' ? slot.results : []))
      .find(({ callId, outcome }) => outcome === 'refused' && approved.has(callId));
    return refused && `${refused.callId} was approved, and its result says: ${refused.content}`;
  },

  '36 no run is complete with changes that people were not asked about': ({ after: { session } }) =>
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

/** The model of the simulation says a call's id again in its arguments. */
const callIn = (input: unknown): string => String((input as { call?: unknown }).call);

/** A change of a plan that starts for the first time, and whether one that comes after it in its plan has. */
export interface StartedInPlan {
  readonly callId: string;
  readonly again: boolean;
  readonly laterBegan: boolean;
}

export const planStartChecks: Checks<StartedInPlan> = {
  '36 the changes of a plan begin in their order': ({ callId, again, laterBegan }) =>
    laterBegan && !again ? `${callId} started after one that comes after it` : undefined,
};
