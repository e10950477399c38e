import type { Usage } from '../../contract/session.ts';
import type { Unpriced } from '../../contract/unpriced.ts';

/** Findings of a model about the progress of a run. `unclear`: no model was asked, or its answer was not valid. */
export const findings = ['done', 'going_on', 'stuck', 'unclear'] as const;
export type Finding = (typeof findings)[number];

/** An assessment of a run's progress (docs/guards.md), stored in a slot of its own. The session's model never reads it. */
export interface Assessment {
  readonly finding: Finding;
  /** Its reason in the model's words, for people; at most 300 characters. Empty if it gave none. */
  readonly why: string;
  /** Absent if no reply was bought: the cost of a broken call is `lost` of the slot. */
  readonly bought?: BoughtAssessment;
}

/** The reply that an assessment was read from. */
export interface BoughtAssessment {
  readonly messageId: string;
  /** The name that its server uses. */
  readonly model: string;
  readonly usage: Usage;
  readonly costUsd: number;
  /** See `Reply`. */
  readonly estimated?: true;
  /** See `Totals`. */
  readonly notInPrice?: readonly Unpriced[];
  /** Time of the call in ms. */
  readonly durationMs: number;
}
