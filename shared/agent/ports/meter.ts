import type { FoldReason, ToolsOmitted } from '../../contract/events.ts';
import type { LastEnding, SessionKey, Usage } from '../../contract/session.ts';
import type { Pinned, PinnedModel } from '../session/pinned.ts';
import type { Run, Session } from '../session/session.ts';
import type { Slot } from '../session/slots.ts';
import type { Spoken, Verdict } from '../session/verdict.ts';

/** Reports metrics to operators. Never rejects, never blocks, and gets no texts of people, models or tools, except through a `trace`. */
export interface Meter {
  /** A guard spoke in a committed step. If the answer of a commit was lost, the process that learns of the commit counts it. */
  verdict(counted: CountedVerdict): void;
  /**
   * A step was committed.
   *
   * @param trace the step's details, for closer observation: made only on request
   */
  step(report: StepReport, trace?: () => StepTrace): void;
  /** A tool threw, took too long, or returned a value that cannot be stored: the model reads why, and operators see where. */
  callFailed(failure: CallFailure): void;
  /** A session continues without some tools of a source, because they could not be brought into form. */
  toolsOmitted(key: SessionKey, omitted: ToolsOmitted): void;
  /**
   * Runs the code of a call, and learns so which call is running. Settles as `run` does. Absent where no other invocation waits for
   * the same thread.
   */
  readonly calling?: <T>(call: RunningCall, run: () => T | Promise<T>) => Promise<T>;
}

/** A call whose code is running. */
export interface RunningCall {
  readonly key: SessionKey;
  readonly tool: string;
  readonly callId: string;
}

/** Counts the cost of an invocation besides its model. Never rejects. */
export interface Bill {
  /**
   * USD that this invocation will have cost if it commits now: everything sent and the time so far, plus the commit and what
   * goes with it, assumed as large as its claim. Undefined outside an invocation that is counted.
   */
  usd(): number | undefined;
}

/** The outcome of a committed step. Times are in ms; tokens and dollars are this step's own. */
export interface StepReport {
  readonly key: SessionKey;
  readonly agent: string;
  readonly run: string;
  /** Committed model calls of the run so far. */
  readonly step: number;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  readonly model: string;
  readonly modelMs: number;
  readonly toolsMs: number;
  readonly toolCalls: number;
  readonly usage: Usage;
  readonly costUsd: number;
  /** In addition to `costUsd`; absent if it is not counted. */
  readonly infraUsd?: number;
  /** `continues` with another step, `waits` for people or queued calls, or the run has `ended`. */
  readonly ending: 'continues' | 'waits' | 'ended';
  /** Why the model's context was folded, which is all that the step did. */
  readonly folded?: FoldReason;
  /** Code of a failed model call that is retried in `delayMs`. */
  readonly failure?: string;
  readonly delayMs?: number;
  /** How the run ended, if it did. */
  readonly ended?: LastEnding;
  /** Counters of the loop guards in it: calls asked for, and calls that ran, by how they ended. */
  readonly counted: { readonly calls: number; readonly successes: number; readonly failures: number };
  /** Seconds that the run had worked by its end, since the last message; absent while it continues. */
  readonly activeSeconds?: number;
}

/** The details of a committed step, with the texts of people, models and tools. */
export interface StepTrace {
  /** The session as the step began with it, with its run begun. */
  readonly before: Session;
  /** The session as it is committed. */
  readonly after: Session & { readonly run: Run };
  readonly pinned: Pinned;
  /** The model that it had to ask. */
  readonly model: PinnedModel;
  /** Slots that the step has read, and slots that it has written, in order. */
  readonly history: readonly Slot[];
  readonly slots: readonly Slot[];
  /** The guard verdicts that took effect. */
  readonly said: readonly Spoken[];
  readonly times: StepMoments;
  /** Epoch ms of the commit. */
  readonly at: number;
}

/** Start times of parts of a step, in epoch ms, recorded while it runs. */
export interface StepMoments {
  readonly openedAt: number;
  /** When this attempt asked a model. */
  askedAt?: number;
  /** When the model's first output arrived. */
  firstAt?: number;
  /** When each call that this attempt ran began, by its id. */
  readonly calls: Map<string, number>;
}

export interface CallFailure {
  readonly key: SessionKey;
  readonly tool: string;
  readonly callId: string;
  readonly code: 'failed' | 'timeout' | 'not_json';
  readonly durationMs: number;
  /** The thrown value. Its message may contain the call's arguments, and must not be logged. */
  readonly error?: unknown;
}

export interface CountedVerdict {
  readonly agent: string;
  readonly guard: string;
  readonly action: Verdict['kind'];
  readonly code: string;
}
