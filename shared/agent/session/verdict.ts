import type { CompletedReason, Reason, State } from '../../contract/session.ts';
import type { Asking } from '../config/asking.ts';
import type { Scenario } from '../config/recovery.ts';

/** A guard's state, or its settings: data, for they are stored with the session. */
export type Slice = { readonly [key: string]: Json };
export type Slices = { readonly [guard: string]: Slice };
/** What can be stored and sent. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** What a rule has counted, and the numbers at which it speaks (L8). */
export type RuleMetadata = {
  readonly tool?: string;
  readonly count?: number;
  /** By their names in the configuration; 0 = off. */
  readonly limits?: { readonly [name: string]: number };
};

/** What every verdict may have. */
interface Verdicts {
  readonly metadata?: RuleMetadata;
}

/** Ends the run. */
export interface Halt extends Verdicts {
  readonly kind: 'halt';
  readonly state: State;
  readonly reason: Reason;
  readonly code: string;
  readonly message: string;
  /** Before a call: what its result says; `Error [refused]` and the message when absent. Nothing of its batch runs. */
  readonly result?: string;
  /** The run may go on instead, told `text`, as often as the limits of recovery allow (H16). `never`: a loop that was told often enough. */
  readonly recover?: { readonly scenario: Scenario; readonly text: string } | 'never';
}
/**
 * Lets the model speak and nothing more: it is told `text`, and what it calls is dropped and leaves history. The tools
 * of the request stay as they are, so that its prefix does. With `ending` the run ends when it has spoken.
 */
export interface TextOnly extends Verdicts {
  readonly kind: 'text_only';
  readonly code: string;
  readonly text: string;
  /** What people read; ours have their words in `for-people.ts`. */
  readonly message?: string;
  readonly ending?: Halt;
}
/** Drops the calls of a reply; the run goes on (T19). */
export interface SkipCalls extends Verdicts {
  readonly kind: 'skip_calls';
  readonly code: string;
  readonly message: string;
}

/** Refuses one call; the message becomes its result. */
export interface BlockCall extends Verdicts {
  readonly kind: 'block';
  readonly code: string;
  readonly message: string;
  /** What the call's result says; `Error [refused]` and the message when absent. */
  readonly result?: string;
  /** A person may let it run all the same (L15). Asked only when no other guard stands in its way. */
  readonly ask?: Asking;
}
/** Tells people that a rule is off, or does not hold; changes nothing (L8: `disabled`). */
export interface Allow extends Verdicts {
  readonly kind: 'allow';
  readonly code: string;
  readonly message: string;
}
/** Tells people; changes nothing. */
export interface Warn extends Verdicts {
  readonly kind: 'warn';
  readonly code: string;
  readonly message: string;
  readonly note?: never;
  /**
   * Before the model is asked: what it says holds only for a smaller context (T5). The step does nothing else, and the next one
   * folds.
   */
  readonly fold?: 'budget';
}
/** Tells people, and with `note` the model too, on the call's result (L4). */
export interface NotedWarn extends Omit<Warn, 'note'> {
  readonly note?: ResultNote;
}
/**
 * Tells the model, as an internal message (A20). Of all that guards want told with one request it is told one (docs/guards.md,
 * "Rules"; T13): what stands from the step before goes first, then the first in order, and a guard that goes on about what was
 * told before gives way to the others. The others are unsaid: their guards have not said it, and nobody counts it.
 */
export interface Nudge extends Verdicts {
  readonly kind: 'nudge';
  readonly code: string;
  readonly text: string;
  /** What people read; ours have their words in `for-people.ts`. */
  readonly message?: string;
  /** It goes on about what people were told before: no event. */
  readonly again?: boolean;
  /**
   * Told beside the one piece of advice, never in its place: what is left of a limit, or a reminder. Before the model call only.
   */
  readonly beside?: true;
  /** Of a completion: it sends the reply back in words that were said before, so another may be told in their place. */
  readonly yields?: true;
  /** Of a completion: told in place of a nudge that yields. It sends nothing back itself. */
  readonly instead?: true;
}
/** Accepts the completion under another reason. */
export interface Flag extends Verdicts {
  readonly kind: 'flag';
  readonly code: string;
  readonly reason: CompletedReason;
  /** What there is to know of a run that is not simply `completed`. */
  readonly message?: string;
  /** What the model only thought becomes its answer (T16). */
  readonly promote?: true;
}

/**
 * Has the system call a tool itself before an answer counts, or before the model goes on: evidence that is not the model's word
 * (docs/proof.md). Then the guard is asked again, by what has come of it.
 */
export interface Check extends Verdicts {
  readonly kind: 'check';
  readonly code: string;
  readonly message: string;
  readonly tool: string;
  readonly input: Json;
}

/** What guards can say; at which stage what, is in `Stages`. */
export type Verdict =
  | Halt
  | TextOnly
  | SkipCalls
  | BlockCall
  | NotedWarn
  | Warn
  | Nudge
  | Flag
  | Check
  | Allow;
/** A verdict with a code of these. */
export type Coded<V, Code extends string> = V & { readonly code: Code };

/** A verdict and who gave it, as the journal of a slot keeps it. */
export type Spoken = Verdict & {
  readonly guard: string;
  /** A nudge that the model was not told: another one was, the run ends, or there was no room for it. */
  readonly unsaid?: boolean;
  /** Of a nudge for which the budget of its step had no room, or not for all of it (T13). */
  readonly lost?: 'cut' | 'dropped';
};

/** What a guard has to say on a result, and what it did (L4). */
export type ResultNote = { readonly message: string; readonly action: 'warn' | 'block' | 'halt' };
