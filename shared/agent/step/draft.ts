import type { AgUiEvent, RunResult } from '../../contract/events.ts';
import type { CompletedReason } from '../../contract/session.ts';
import type { CommitRequest } from '../ports/sessions.ts';
import type { Flagged } from '../session/made.ts';
import type { Session } from '../session/session.ts';
import type { Halt, Spoken } from '../session/verdict.ts';
import type { Wait } from '../session/waits.ts';

/** Where a step leaves its run. */
export type Ending =
  /** The run goes on with another step, now or after `delayMs`. */
  | { readonly kind: 'continue'; readonly delayMs?: number }
  /** Only the reply is kept, the next invocation decides on it, also what a cancel makes of it. */
  | { readonly kind: 'leave'; readonly delayMs?: number }
  /** The session's batch is open: the run waits for people, or for queued calls. */
  | { readonly kind: 'wait'; readonly still?: StillOpen }
  /** The model is done. An event that has come meanwhile makes the run go on instead. */
  | { readonly kind: 'complete'; readonly reason: CompletedReason; readonly flag?: Flagged }
  /** The run ends, or waits for a person, whatever has come. */
  | { readonly kind: 'halt'; readonly halt: Ended };

/** A batch that was opened before, over something that came then and is no answer: people are asked only now. */
export interface StillOpen {
  /** Waits that nobody has resolved. */
  readonly waits: readonly Wait[];
  /** Events that settle nothing. */
  readonly seen: readonly string[];
}

/** Why a run ends, and which guard says so. */
export type Ended = Omit<Halt, 'kind'> & { readonly guard?: string };

/** All that a step has decided, before it is known what has come meanwhile. */
export interface Draft {
  /** With its slots counted in `version`, its usage in the totals. */
  readonly session: Session;
  readonly incorporated: readonly string[];
  readonly spoken: readonly Spoken[];
  readonly events: readonly AgUiEvent[];
  readonly ending: Ending;
  /** Time in ms that its batch took. */
  readonly toolsMs?: number;
  /** What the run came to, when it ends here. */
  readonly result?: Pick<RunResult, 'answer' | 'object' | 'summary'>;
}

/** A draft made final: what HEAD becomes, and the events that go with it. */
export type Conclusion = Pick<CommitRequest, 'session' | 'next' | 'waits'> & {
  readonly events: readonly AgUiEvent[];
  /** What guards have said in effect: what the model was to be told in a run that is over, it never is. */
  readonly said: readonly Spoken[];
};
