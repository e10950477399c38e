import type { CompletedReason, Reason, State } from '../../contract/session.ts';
import type { AskWhen } from '../config/asking.ts';
import type { Scenario } from '../config/recovery.ts';

/** A guard's state or settings: plain data, because they are stored with the session. */
export type Slice = { readonly [key: string]: Json };
export type Slices = { readonly [guard: string]: Slice };
/** A value that can be stored and sent. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The counts of a rule, and the numbers at which it speaks. */
export type RuleMetadata = {
  readonly tool?: string;
  readonly count?: number;
  /** By their names in the configuration; 0 = off. */
  readonly limits?: { readonly [name: string]: number };
};

/** Fields that every verdict may have. */
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
  /** Before a call: the text of its result; `Error [refused]` and the message when absent. No call of its batch runs. */
  readonly result?: string;
  /**
   * The run may continue instead, with `text` for the model, as often as the limits of recovery allow. `never`: the end of a
   * loop after enough warnings.
   */
  readonly recover?: { readonly scenario: Scenario; readonly text: string } | 'never';
}
/**
 * Lets the model only write text: it is told `text`, and its calls are dropped and removed from history. The tools of the
 * request stay as they are, so that its prefix does. With `ending` the run ends after this reply.
 */
export interface TextOnly extends Verdicts {
  readonly kind: 'text_only';
  readonly code: string;
  readonly text: string;
  /** The text that people read; our own guards have theirs in `for-people.ts`. */
  readonly message?: string;
  readonly ending?: Halt;
}
/** Drops the calls of a reply; the run continues. */
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
  /** The text of the call's result; `Error [refused]` and the message when absent. */
  readonly result?: string;
  /** A person may let it run all the same. Asked only if no other guard refuses it. */
  readonly ask?: AskWhen;
}
/** Tells people that a rule is off, or does not apply; changes nothing. */
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
  /** Before the model is asked: the verdict applies only to a smaller context. The step does nothing else, and the next one folds. */
  readonly fold?: 'budget';
}
/** Tells people, and with `note` the model too, on the call's result. */
export interface NotedWarn extends Omit<Warn, 'note'> {
  readonly note?: ResultNote;
}
/**
 * Tells the model, as an internal message. If guards want to tell several nudges with one request, it gets one (docs/guards.md,
 * "Rules"). One that is left from the previous step comes first, then the first in order, and a guard that repeats itself gives
 * way to the others. The others are unsaid: they count as not spoken by their guards.
 */
export interface Nudge extends Verdicts {
  readonly kind: 'nudge';
  readonly code: string;
  readonly text: string;
  /** The text that people read; our own guards have theirs in `for-people.ts`. */
  readonly message?: string;
  /** It continues what people were already told: no event. */
  readonly again?: boolean;
  /** Told in addition to the one piece of advice, never in its place: the rest of a limit, or a reminder. Before the model call only. */
  readonly beside?: true;
  /** For a completion: it sends the reply back in words that were used before, so another one may be told in its place. */
  readonly yields?: true;
  /** For a completion: told in place of a nudge that yields. It sends nothing back itself. */
  readonly instead?: true;
}
/** Accepts the completion under another reason. */
export interface Flag extends Verdicts {
  readonly kind: 'flag';
  readonly code: string;
  readonly reason: CompletedReason;
  /** The remark on a run that is not simply `completed`. */
  readonly message?: string;
  /** The model's thinking becomes its answer. */
  readonly promote?: true;
}

/**
 * Makes the system call a tool itself before an answer is accepted, or before the model continues: evidence that does not
 * depend on the model's claims (docs/proof.md). Then the guard is asked again, with the result.
 */
export interface Check extends Verdicts {
  readonly kind: 'check';
  readonly code: string;
  readonly message: string;
  readonly tool: string;
  readonly input: Json;
}

/** All verdicts of guards; `Stages` says which are possible at which stage. */
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

/** A verdict and the guard that gave it, as the journal of a slot stores it. */
export type Spoken = Verdict & {
  readonly guard: string;
  /** A nudge that the model was not told: another one was, the run ends, or there was no room for it. */
  readonly unsaid?: boolean;
  /** For a nudge for which the budget of its step had no room, or not for all of it. */
  readonly lost?: 'cut' | 'dropped';
};

/** A guard's note on a result, and what the guard did. */
export type ResultNote = { readonly message: string; readonly action: 'warn' | 'block' | 'halt' };
