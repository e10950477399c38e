import type { FoldReason, ToolsOmitted } from '../../contract/events.ts';
import type { LastEnding, SessionKey, Usage } from '../../contract/session.ts';
import type { Pinned, PinnedModel } from '../session/pinned.ts';
import type { Run, Session } from '../session/session.ts';
import type { Slot } from '../session/slots.ts';
import type { Spoken, Verdict } from '../session/verdict.ts';

/** Tells operators what they watch. Never rejects, never waits, and is never told what people, models or tools say, but by a `trace`. */
export interface Meter {
  /** A guard spoke in a committed step. A step whose commit's answer was lost is counted by whoever learns of it. */
  verdict(counted: CountedVerdict): void;
  /**
   * A step was committed.
   *
   * @param trace what it was made of, for who follows it closer: made only when it is asked for
   */
  step(report: StepReport, trace?: () => StepTrace): void;
  /** A tool threw, took too long, or returned what cannot be kept: the model reads why, and operators see where. */
  callFailed(failure: CallFailure): void;
  /** A session goes without single tools of a source, because no form could be made of them. */
  toolsOmitted(key: SessionKey, omitted: ToolsOmitted): void;
}

/** Counts what an invocation costs beside its model. Never rejects. */
export interface Bill {
  /**
   * USD that this invocation will have cost if it commits now: all that it has sent and the time that it has taken, and the commit
   * and what goes with it, as large as its claim was. Undefined outside of an invocation that is counted.
   */
  usd(): number | undefined;
}

/** What a committed step came to. Times are in ms; tokens and dollars are this step's own. */
export interface StepReport {
  readonly key: SessionKey;
  readonly agent: string;
  readonly run: string;
  /** Model calls of the run that are committed by now. */
  readonly step: number;
  /** Which try this was, from 1. */
  readonly attempt: number;
  readonly model: string;
  readonly modelMs: number;
  readonly toolsMs: number;
  readonly toolCalls: number;
  readonly usage: Usage;
  readonly costUsd: number;
  /** Beside `costUsd`; absent where nobody counts it. */
  readonly infraUsd?: number;
  /** `continues` with another step, `waits` for people or queued calls, or the run has `ended`. */
  readonly ending: 'continues' | 'waits' | 'ended';
  /** Why the model's context was made smaller: that is all that the step did. */
  readonly folded?: FoldReason;
  /** Code of the failed model call that is tried again, in `delayMs`. */
  readonly failure?: string;
  readonly delayMs?: number;
  /** How the run ended, if it did. */
  readonly ended?: LastEnding;
  /** What the loop guards have counted in it: calls asked for, and those that ran, by how they ended (L10). */
  readonly counted: { readonly calls: number; readonly successes: number; readonly failures: number };
  /** Seconds that the run had worked by its end, since the last message (L7); absent while it goes on. */
  readonly activeSeconds?: number;
}

/** What a committed step was made of. It has what people, models and tools have said. */
export interface StepTrace {
  /** The session as the step began with it, its run begun. */
  readonly before: Session;
  /** As it is committed. */
  readonly after: Session & { readonly run: Run };
  readonly pinned: Pinned;
  /** The model that it was to ask. */
  readonly model: PinnedModel;
  /** Slots that the step has read, and those that it has written, in order. */
  readonly history: readonly Slot[];
  readonly slots: readonly Slot[];
  /** What guards have said in effect. */
  readonly said: readonly Spoken[];
  readonly times: StepMoments;
  /** Epoch ms of the commit. */
  readonly at: number;
}

/** When what began, in epoch ms: noted as a step goes on. */
export interface StepMoments {
  readonly openedAt: number;
  /** When a model was asked by this attempt. */
  askedAt?: number;
  /** When it first said something. */
  firstAt?: number;
  /** When each call began that this attempt ran, by its id. */
  readonly calls: Map<string, number>;
}

export interface CallFailure {
  readonly key: SessionKey;
  readonly tool: string;
  readonly callId: string;
  readonly code: 'failed' | 'timeout' | 'not_json';
  readonly durationMs: number;
  /** What it threw. Its message may hold the call's arguments, and is not for the log. */
  readonly error?: unknown;
}

export interface CountedVerdict {
  readonly agent: string;
  readonly guard: string;
  readonly action: Verdict['kind'];
  readonly code: string;
}
