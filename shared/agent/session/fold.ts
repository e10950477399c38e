import type { FoldReason } from '../../contract/events.ts';
import type { Usage } from '../../contract/session.ts';
import type { Unpriced } from '../../contract/unpriced.ts';
import type { Said } from './said.ts';

/**
 * What begins a new context: kept in a slot of its own, whose input is the head of that context (docs/context.md). From then on the
 * model reads the head, and the slots from `start` on; people read everything.
 */
export interface Fold {
  readonly why: FoldReason;
  /** `contextStart` from now on: never a slot of results, whose calls would be missing. */
  readonly start: number;
  /** Results in slots below this one are read as one line each (H20); from `start` to the fold's own slot. */
  readonly clearedBelow: number;
  /** Tokens of the request before and after; the latter is an estimate. */
  readonly tokens: { readonly before: number; readonly after: number };
  /** What of the conversation the model reads no more, from its very beginning on. */
  readonly left: LeftOut;
  /** Bought of a model. Without it the head lists what was done. */
  readonly summary?: Summary;
  /** What was done in what is left out since the last summary, for the list of the next fold. */
  readonly log?: WorkLog;
  /** T5: results of more than 400 characters are read as a preview of 200, but for the last six of them. */
  readonly shrunk?: true;
}

/** How much is no part of a context. */
export interface LeftOut {
  /** Messages as the model's API counts them. */
  readonly messages: number;
  /** Estimated. */
  readonly tokens: number;
}

/** What was done, as a list in place of a summary has it (T28). Its texts are cut short. */
export interface WorkLog {
  readonly tools: readonly { readonly name: string; readonly calls: number; readonly failed: number }[];
  /** What calls were about, oldest first: paths mostly, and the tools that were used on them. */
  readonly files: readonly { readonly path: string; readonly tools: readonly string[] }[];
  /** Failures after which the same call has not succeeded, oldest first. */
  readonly errors: readonly { readonly tool: string; readonly about: string; readonly says: string }[];
}

/** A model's summary of the messages that leave the context. */
export interface Summary {
  readonly text: string;
  readonly messageId: string;
  /** As its server calls it. */
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

/** A message of a person that a head repeats, and what had come of it by then. */
export interface Carried {
  /** `unanswered`: its run ended before the model had its last word. */
  readonly came: 'open' | 'answered' | 'unanswered';
  /** The run that has read it. */
  readonly run: string;
  /** Characters that are cut off at its end. */
  readonly cut?: number;
  /** See `InputTurn`. */
  readonly said?: Said;
  /** When it was answered, by the clock of its sender: `2026-11-27T00:30`. Absent where that is not told. */
  readonly answered?: string;
}

/** The same as a turn of the head keeps it. */
export interface StoredCarried extends Carried {
  /** Where its words begin in the text of the turn: before them stands a label of ours. */
  readonly from: number;
}

/** The last fold, as HEAD has it. */
export interface LastFold {
  readonly slot: number;
  /** Epoch ms: the cooldown counts from here. */
  readonly at: number;
  /** {@link MustFold.refusals} that this fold answers; absent again when the model has replied. */
  readonly refusals?: number;
}

/** That the next step must fold, and why. */
export interface MustFold {
  readonly why: FoldReason;
  /** How often the model has refused its context as too long since its last reply: each fold cuts deeper. */
  readonly refusals: number;
}
