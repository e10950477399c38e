import type { AgUiEvent, RunResult } from '../../contract/events.ts';
import type { CompletedReason } from '../../contract/session.ts';
import type { CommitRequest } from '../ports/sessions.ts';
import type { Flagged } from '../session/made.ts';
import type { Session } from '../session/session.ts';
import type { Halt, Spoken } from '../session/verdict.ts';
import type { Wait } from '../session/waits.ts';

/** How a step leaves its run. */
export type Ending =
  /** The run continues with another step, now or after `delayMs`. */
  | { readonly kind: 'continue'; readonly delayMs?: number }
  /** Only the reply is stored; the next invocation decides on it, including what a cancel means for it. */
  | { readonly kind: 'leave'; readonly delayMs?: number }
  /** The session's batch is open: the run waits for people, or for queued calls. */
  | { readonly kind: 'wait'; readonly still?: StillOpen }
  /** The model is done. If an event has arrived meanwhile, the run continues instead. */
  | { readonly kind: 'complete'; readonly reason: CompletedReason; readonly flag?: Flagged }
  /** The run ends, or waits for a person, whatever has arrived. */
  | { readonly kind: 'halt'; readonly halt: Ended };

/** A batch that was opened before, when something arrived that is not an answer: people are asked only now. */
export interface StillOpen {
  /** Waits that are still unresolved. */
  readonly waits: readonly Wait[];
  /** Events that settle nothing. */
  readonly seen: readonly string[];
}

/** Why a run ends, and which guard says so. */
export type Ended = Omit<Halt, 'kind'> & { readonly guard?: string };

/** Everything that a step has decided, before it is known what has arrived meanwhile. */
export interface Draft {
  /** With its slots counted in `version`, its usage in the totals. */
  readonly session: Session;
  readonly incorporated: readonly string[];
  readonly spoken: readonly Spoken[];
  readonly events: readonly AgUiEvent[];
  readonly ending: Ending;
  /** Time in ms that its batch took. */
  readonly toolsMs?: number;
  /** The result of the run, if it ends here. */
  readonly result?: Pick<RunResult, 'answer' | 'object' | 'summary'>;
}

/** A final draft: the new HEAD, and the events that go with it. */
export type Conclusion = Pick<CommitRequest, 'session' | 'next' | 'waits'> & {
  readonly events: readonly AgUiEvent[];
  /** The verdicts that took effect. A nudge in a run that is over is not among them, because the model is never told it. */
  readonly said: readonly Spoken[];
};
