import type { FoldReason } from '../../contract/events.ts';
import type { Usage } from '../../contract/session.ts';
import type { Unpriced } from '../../contract/unpriced.ts';
import type { SentFacts } from './said.ts';

/**
 * The beginning of a new context: stored in a slot of its own, whose input is the head of that context (docs/context.md). From
 * then on the model reads the head, and the slots from `start` on; people read everything.
 */
export interface Fold {
  readonly why: FoldReason;
  /** `contextStart` from now on. It is never a slot of results, whose calls would be missing. */
  readonly start: number;
  /** Results in slots from `start` up to this one are read as one line each. */
  readonly clearedBelow: number;
  /** Tokens of the request before and after; the latter is an estimate. */
  readonly tokens: { readonly before: number; readonly after: number };
  /** The part of the conversation that the model no longer reads, from its very beginning on. */
  readonly left: LeftOut;
  /** Bought from a model. Without it, the head lists what was done. */
  readonly summary?: Summary;
  /** The work in the part that is left out since the last summary, for the list of the next fold. */
  readonly log?: WorkLog;
  /** Results of more than 400 characters are read as a preview of 200, except for the last six of them. */
  readonly shrunk?: true;
}

/** The size of a part outside a context. */
export interface LeftOut {
  /** Messages as the model's API counts them. */
  readonly messages: number;
  /** Estimated. */
  readonly tokens: number;
}

/** The work so far, as a list in place of a summary. Its texts are shortened. */
export interface WorkLog {
  readonly tools: readonly { readonly name: string; readonly calls: number; readonly failed: number }[];
  /** Subjects of calls, oldest first: mostly paths, and the tools that were used on them. */
  readonly files: readonly { readonly path: string; readonly tools: readonly string[] }[];
  /** Failures that were not followed by a success of the same call, oldest first. */
  readonly errors: readonly { readonly tool: string; readonly about: string; readonly says: string }[];
}

/** A model's summary of the messages that leave the context. */
export interface Summary {
  readonly text: string;
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

/** A message of a person that a head repeats, and its state by then. */
export interface Carried {
  /** `unanswered`: its run ended before the model's last reply. */
  readonly came: 'open' | 'answered' | 'unanswered';
  /** The run that has read it. */
  readonly run: string;
  /** Characters that are cut off at its end. */
  readonly cut?: number;
  /** See `InputTurn`. */
  readonly said?: SentFacts;
  /** When it was answered, in its sender's local time: `2026-11-27T00:30`. Absent if the model is not told the time. */
  readonly answered?: string;
}

/** The same as a turn of the head stores it. */
export interface StoredCarried extends Carried {
  /** Where its own text begins in the turn: before it is a label of ours. */
  readonly from: number;
}

/** The last fold, as HEAD has it. */
export interface LastFold {
  readonly slot: number;
  /** Epoch ms: the cooldown counts from here. */
  readonly at: number;
  /** {@link MustFold.refusals} that this fold answers; absent again once the model has replied. */
  readonly refusals?: number;
}

/** Says that the next step must fold, and why. */
export interface MustFold {
  readonly why: FoldReason;
  /** How often the model has refused its context as too long since its last reply: each fold cuts deeper. */
  readonly refusals: number;
}
